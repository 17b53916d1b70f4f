import { Checkbox, NumberInput, Paper, Select, SimpleGrid, Stack, Switch, TagsInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { PlanForm } from '../form/plan-form';

const POLICIES = [
  { value: 'stop', label: 'Stop run' },
  { value: 'continue', label: 'Continue on remaining hosts' },
];
const STRATEGIES = [
  { value: 'barrier', label: 'All hosts together' },
  { value: 'free', label: 'Each host independently' },
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
              label="Maximum failed hosts"
              description="Share of all hosts of the run. Steps can override it."
              suffix=" %"
              min={0}
              max={100}
              {...whole}
              readOnly={readOnly}
              {...form.getInputProps('maxFailPercent')}
            />
            <Select
              label="If more hosts fail"
              description="Applies in modes that do not ask."
              data={POLICIES}
              allowDeselect={false}
              readOnly={readOnly}
              {...form.getInputProps('onFailure')}
            />
            <NumberInput
              label="Time limit per run"
              description="Excludes time waiting for approval or a decision."
              placeholder="None"
              suffix=" s"
              min={1}
              {...whole}
              readOnly={readOnly}
              {...form.getInputProps('timeoutSeconds')}
            />
          </SimpleGrid>
          <Select
            label="Step progress"
            description="Independently: a host starts its next step without waiting for other hosts. Hosts still wait for each other at gates, pauses, confirmations and steps that run once or in batches."
            data={STRATEGIES}
            allowDeselect={false}
            readOnly={readOnly}
            {...form.getInputProps('strategy')}
          />
          <TagsInput
            label="Locks"
            description="Lock names. Only one run of any plan can hold a lock at a time."
            placeholder="database-migration"
            acceptValueOnBlur
            readOnly={readOnly}
            {...form.getInputProps('locks')}
          />
          <Switch
            label="Parallel runs"
            description="Allow several runs per environment if they share no host."
            disabled={readOnly}
            {...form.getInputProps('parallelSafe', { type: 'checkbox' })}
          />
          <Checkbox.Group label="Allowed modes" description="Empty: all modes." {...form.getInputProps('allowedModes')}>
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
