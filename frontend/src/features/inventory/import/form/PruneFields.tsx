import { NumberInput, Radio, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { PruneMode } from '../../../../api/types';
import type { ImportForm } from './import-form';

const WAYS: [value: PruneMode, label: string, meaning: string | undefined][] = [
  ['no', 'Keep', undefined],
  ['disable', 'Disable', 'Runs do not use them. An import that lists them again enables them.'],
  ['remove', 'Delete', 'Deletes them and their accepted host keys. Earlier runs are kept.'],
];

/** Selects what happens to servers that the source no longer contains. */
export function PruneFields({ form }: { form: UseFormReturnType<ImportForm> }) {
  const { source, prune } = form.values;
  return (
    <>
      <Radio.Group
        size="xs"
        label={`Servers of ${source.trim()} in this environment that are missing in the text`}
        {...form.getInputProps('prune')}
      >
        <Stack gap={6} mt={4}>
          {WAYS.map(([value, label, meaning]) => (
            <Radio key={value} size="sm" value={value} label={label} description={meaning} />
          ))}
        </Stack>
      </Radio.Group>
      {prune !== 'no' && (
        <NumberInput
          label="Maximum share of missing servers"
          description="Percentage of the source’s servers. If more are missing, the import stops, because the text may be incomplete."
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          min={0}
          max={100}
          allowDecimal={false}
          suffix=" %"
          {...form.getInputProps('pruneLimitPercent')}
        />
      )}
    </>
  );
}
