import {
  Alert,
  Code,
  Group,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { toProblem } from '../../../api/errors';
import { schedulePreviewQuery } from '../../../api/queries/automation/schedules';
import { NextTimes } from '../times/NextTimes';
import { timeZones } from '../../../ui/format/time-zones';
import { cronParts, EXAMPLES, timingOf, UNITS } from '../times/timing';
import type { ScheduleForm } from './schedule-form';

/** Pause in typing before the occurrences are requested, in ms. */
const DEBOUNCE_MS = 300;
const KINDS = [
  { value: 'cron', label: 'Cron' },
  { value: 'interval', label: 'Interval' },
];

export function TimingFields({ form }: { form: UseFormReturnType<ScheduleForm> }) {
  const { kind, cron, timeZone } = form.values;
  const zones = useMemo(() => [...new Set([timeZone, ...timeZones()])], [timeZone]);
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Timing"
        data={KINDS}
        value={kind}
        onChange={(next) => form.setFieldValue('kind', next as ScheduleForm['kind'])}
        className="rw-align-start"
      />
      {kind === 'cron' ? (
        <Group align="flex-start" gap="md" grow preventGrowOverflow={false}>
          <Stack gap={4} flex="1 1 260px">
            <TextInput
              label="Cron expression"
              description="Minute, hour, day of the month, month, weekday"
              withAsterisk
              spellCheck={false}
              autoComplete="off"
              classNames={{ input: 'rw-mono-family' }}
              {...form.getInputProps('cron')}
            />
            <CronParts cron={cron} />
          </Stack>
          <Select
            label="Example"
            description="Fills in the expression"
            placeholder="Choose an example"
            data={EXAMPLES}
            value={EXAMPLES.some(({ value }) => value === cron.trim()) ? cron.trim() : null}
            onChange={(next) => next && form.setFieldValue('cron', next)}
            flex="1 1 220px"
          />
        </Group>
      ) : (
        <Group align="flex-end" gap="xs">
          <NumberInput label="Every" min={1} withAsterisk w={120} {...form.getInputProps('every')} />
          <Select aria-label="Unit" data={UNITS} allowDeselect={false} w={130} {...form.getInputProps('unit')} />
        </Group>
      )}
      <Select
        label="Time zone"
        description={kind === 'cron' ? 'Time zone of the expression.' : 'Time zone of the displayed times.'}
        searchable
        allowDeselect={false}
        limit={100}
        data={zones}
        maw={320}
        {...form.getInputProps('timeZone')}
      />
      <Preview values={form.values} />
    </Stack>
  );
}

function CronParts({ cron }: { cron: string }) {
  return (
    <Group gap="4px 12px" aria-hidden>
      {cronParts(cron).map(({ name, text }, index) => (
        <Text key={index} size="xs" c={name === null ? 'var(--mantine-color-error)' : 'dimmed'}>
          <Code>{text}</Code> {name ?? 'too many'}
        </Text>
      ))}
    </Group>
  );
}

function Preview({ values }: { values: ScheduleForm }) {
  const [timing] = useDebouncedValue(JSON.stringify(timingOf(values)), DEBOUNCE_MS);
  const preview = useQuery(schedulePreviewQuery(JSON.parse(timing) as ReturnType<typeof timingOf>));
  if (preview.error) {
    const { errors, message } = toProblem(preview.error);
    return (
      <Alert color="red" py={8} role="status">
        {errors[0]?.message ?? message}
      </Alert>
    );
  }
  if (!preview.data) return <Text c="dimmed">Calculating next occurrences…</Text>;
  return (
    <Paper p="sm" aria-busy={preview.isPlaceholderData} opacity={preview.isPlaceholderData ? 0.6 : 1}>
      <NextTimes times={preview.data.nextTimes} timeZone={values.timeZone} />
      {preview.data.warnings.map((warning) => (
        <Alert key={warning} color="yellow" py={8} mt="sm">
          {warning}
        </Alert>
      ))}
    </Paper>
  );
}
