import { Checkbox, NumberInput, Paper, Select, SimpleGrid, Stack, Switch, TagsInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { PlanForm } from '../form/plan-form';

const POLICIES = [
  { value: 'stop', label: 'Stop the run' },
  { value: 'continue', label: 'Go on with the hosts that are left' },
];
const STRATEGIES = [
  { value: 'barrier', label: 'All hosts together' },
  { value: 'free', label: 'Each host by itself' },
];
const MODES = [
  { value: 'auto', label: 'Auto' },
  { value: 'semi_assisted', label: 'Semi-assisted' },
  { value: 'interactive', label: 'Interactive' },
  { value: 'dry_run', label: 'Dry run' },
];

const whole = { allowDecimal: false, hideControls: true } as const;

export function PlanSettings({ form, readOnly }: { form: UseFormReturnType<PlanForm>; readOnly: boolean }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Settings
      </Title>
      <Paper p="md">
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
            <NumberInput
              label="Hosts that may fail"
              description="Of all hosts of the run, for steps without a share of their own."
              suffix=" %"
              min={0}
              max={100}
              {...whole}
              readOnly={readOnly}
              {...form.getInputProps('maxFailPercent')}
            />
            <Select
              label="When more fail"
              description="In the modes that don’t ask."
              data={POLICIES}
              allowDeselect={false}
              readOnly={readOnly}
              {...form.getInputProps('onFailure')}
            />
            <NumberInput
              label="Time limit of a run"
              description="Time that it waits for a person does not count."
              placeholder="None"
              suffix=" s"
              min={1}
              {...whole}
              readOnly={readOnly}
              {...form.getInputProps('timeoutSeconds')}
            />
          </SimpleGrid>
          <Select
            label="From step to step"
            description="By itself, a host begins its next step without waiting for the others. All still meet at gates, steps that run once or in batches, steps that wait for a person, and pauses."
            data={STRATEGIES}
            allowDeselect={false}
            readOnly={readOnly}
            {...form.getInputProps('strategy')}
          />
          <TagsInput
            label="Locks"
            description="Names that only one run holds at a time, whatever its plan."
            placeholder="database-migration"
            acceptValueOnBlur
            readOnly={readOnly}
            {...form.getInputProps('locks')}
          />
          <Switch
            label="Several runs at a time"
            description="In one environment, as long as they share no host."
            disabled={readOnly}
            {...form.getInputProps('parallelSafe', { type: 'checkbox' })}
          />
          <Checkbox.Group
            label="Modes that a start may choose"
            description="None chosen: all of them."
            {...form.getInputProps('allowedModes')}
          >
            <SimpleGrid cols={{ base: 1, xs: 2, sm: 4 }} mt={8} spacing="xs" verticalSpacing={8}>
              {MODES.map(({ value, label }) => (
                <Checkbox key={value} value={value} label={label} disabled={readOnly} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        </Stack>
      </Paper>
    </Stack>
  );
}
