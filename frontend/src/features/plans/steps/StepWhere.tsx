import { Group, Stack, Switch, TextInput } from '@mantine/core';
import { MONO, type StepFieldsProps } from './step-field';

export function StepWhere({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const targets = (
    <TextInput
      label="Targets"
      description="Narrows the plan’s hosts, such as role=web."
      placeholder="All hosts of the plan"
      styles={MONO}
      readOnly={readOnly}
      {...form.getInputProps(`${at}.targets`)}
    />
  );
  if (form.values.steps[index]?.type === 'plan') return targets;
  return (
    <Stack gap="sm">
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        {targets}
        <TextInput
          label="Hosts at a time"
          description="A number or a share, such as 5 or 25%."
          placeholder="All at once"
          maw={{ sm: 260 }}
          styles={MONO}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.batch`)}
        />
      </Group>
      <Switch
        label="Once only"
        description="On the first of its hosts; its outputs count for all of them."
        disabled={readOnly}
        {...form.getInputProps(`${at}.runOnce`, { type: 'checkbox' })}
      />
    </Stack>
  );
}
