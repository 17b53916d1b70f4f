import { NumberInput, Radio, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { PruneMode } from '../../../../api/types';
import type { ImportForm } from './import-form';

const WAYS: [value: PruneMode, label: string, meaning: string | undefined][] = [
  ['no', 'Leave them', undefined],
  ['disable', 'Switch them off', 'No run uses them; the import that names them again switches them on.'],
  ['remove', 'Remove them', 'With their accepted host keys. What ran on them stays in the runs.'],
];

/** What becomes of servers that the source does not name any more. */
export function PruneFields({ form }: { form: UseFormReturnType<ImportForm> }) {
  const { source, prune } = form.values;
  return (
    <>
      <Radio.Group
        size="xs"
        label={`Servers of ${source.trim()} in this environment that the text no longer names`}
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
          label="Largest share that may go"
          description="Of the source’s servers. If it would be more, the import stops: the text may not be whole."
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
