import { Checkbox, NumberInput, Paper, Select, SimpleGrid, Stack, Switch, TagsInput, Title } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { RUN_MODES } from '../../../api/lists';
import type { Strategy } from '../../../api/types';
import { optionsOf } from '../../../ui/forms/options';
import { MODE_NAMES } from '../../../ui/runs/modes';
import type { PlanForm } from '../form/plan-form';
import { FAILURE_POLICIES } from '../steps/fields/step-field';

const STRATEGIES: Record<Strategy, string> = {
  barrier: 'All hosts together',
  free: 'Each host independently',
};

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
              data={optionsOf(FAILURE_POLICIES)}
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
            data={optionsOf(STRATEGIES)}
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
              {RUN_MODES.map((mode) => (
                <Checkbox key={mode} value={mode} label={MODE_NAMES[mode]} disabled={readOnly} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        </Stack>
      </Paper>
    </Stack>
  );
}
