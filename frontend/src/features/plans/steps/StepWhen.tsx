import { MultiSelect, Stack, Switch } from '@mantine/core';
import { NameField } from '../names/NameField';
import { namesFor } from '../names/names';
import { RepeatFields } from './RepeatFields';
import { mayBeSkippedByCommand } from './step-groups';
import type { StepFieldsProps } from './step-field';

export function StepWhen({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const { steps } = form.values;
  const step = steps[index];
  const names = namesFor(form.values, index);
  // A chosen key stays visible and removable, also after its step was moved or renamed.
  const earlier = steps.slice(0, index).map(({ key }) => key);
  const keys = [...new Set([...earlier, ...(step?.onlyIfChanged ?? [])])].filter((key) => key !== '');
  return (
    <Stack gap="sm">
      <NameField
        names={names}
        grammar="condition"
        label="Condition"
        description="On variables, the host and earlier steps. Where it does not hold, the step is skipped."
        placeholder={'steps.build.changed and host.tags.role == "web"'}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.when`)}
      />
      {step?.type !== 'gate' && <RepeatFields form={form} index={index} readOnly={readOnly} />}
      {step?.type !== 'gate' && step?.type !== 'plan' && (
        <MultiSelect
          label="Only if one of these steps changed the host"
          data={keys}
          placeholder={keys.length === 0 ? 'There is no earlier step' : undefined}
          clearable
          readOnly={readOnly}
          {...form.getInputProps(`${at}.onlyIfChanged`)}
        />
      )}
      {step && mayBeSkippedByCommand(step.type) && (
        <NameField
          names={names}
          grammar="text"
          multiline
          label="Unless"
          description="A command: where it succeeds, the step is skipped."
          placeholder="test -e /etc/done"
          minRows={1}
          maxRows={8}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.unless`)}
        />
      )}
      {step?.type === 'plan' && (
        <Switch
          label="Even after a failure"
          description="Its steps run also on hosts that failed before: for cleaning up."
          disabled={readOnly}
          {...form.getInputProps(`${at}.always`, { type: 'checkbox' })}
        />
      )}
      {step?.type !== 'gate' && (
        <Switch
          label="Ask a person first"
          description="In the mode semi-assisted the run waits before this step."
          disabled={readOnly}
          {...form.getInputProps(`${at}.confirm`, { type: 'checkbox' })}
        />
      )}
    </Stack>
  );
}
