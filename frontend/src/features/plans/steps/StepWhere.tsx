import { Group, Stack, Switch, TextInput } from '@mantine/core';
import { formType } from '../form/types/step-types';
import { MONO, type StepFieldsProps } from './fields/step-field';

export function StepTargetFields({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const targets = (
    <TextInput
      label="Targets"
      description="Selector within the hosts of the plan, such as role=web."
      placeholder="All hosts of the plan"
      classNames={MONO}
      readOnly={readOnly}
      {...form.getInputProps(`${at}.targets`)}
    />
  );
  const step = form.values.steps[index];
  if (step && formType(step.type).runs === 'call') return targets;
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        {targets}
        <TextInput
          label="Batch size"
          description="Number or percentage of hosts at a time, such as 5 or 25%."
          placeholder="All hosts"
          maw={{ sm: 260 }}
          classNames={MONO}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.batch`)}
        />
      </Group>
      <Switch
        label="Run once"
        description="Runs on the first host only. Its outputs apply to all hosts."
        disabled={readOnly}
        {...form.getInputProps(`${at}.runOnce`, { type: 'checkbox' })}
      />
    </Stack>
  );
}
