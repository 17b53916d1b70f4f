import { NumberInput, Radio, SimpleGrid, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { MISSED_TEXTS, OVERLAP_TEXTS } from '../state/policies';
import type { ScheduleForm } from './schedule-form';

/** Edits how occurrences are handled that cannot start normally. */
export function PolicyFields({ form }: { form: UseFormReturnType<ScheduleForm> }) {
  return (
    <Stack gap="md">
      <PolicyField
        label="If runs conflict"
        texts={OVERLAP_TEXTS}
        value={form.values.onOverlap}
        onChange={(next) => form.setFieldValue('onOverlap', next)}
      />
      <PolicyField
        label="If occurrences are missed because Runward was down"
        texts={MISSED_TEXTS}
        value={form.values.onMissed}
        onChange={(next) => form.setFieldValue('onMissed', next)}
      />
      <NumberInput
        label="Maximum start delay, in seconds"
        description="Spreads schedules of the same minute. Each schedule has a fixed delay up to this value."
        min={0}
        max={3600}
        allowDecimal={false}
        maw={420}
        {...form.getInputProps('jitterSeconds')}
      />
    </Stack>
  );
}

interface PolicyProps<V extends string> {
  label: string;
  texts: Record<V, { label: string; description: string }>;
  value: V;
  onChange: (value: V) => void;
}

function PolicyField<V extends string>({ label, texts, value, onChange }: PolicyProps<V>) {
  return (
    <Radio.Group label={label} value={value} onChange={(next) => onChange(next)}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" mt={6}>
        {(Object.keys(texts) as V[]).map((each) => (
          <Radio key={each} value={each} {...texts[each]} />
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
