import { MultiSelect, Stack, Switch } from '@mantine/core';
import { formType } from '../form/types/step-types';
import { NameField } from '../names/NameField';
import { namesFor } from '../names/names';
import { RepeatFields } from './fields/RepeatFields';
import type { StepFieldsProps } from './fields/step-field';

export function StepConditionFields({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const { steps } = form.values;
  const step = steps[index];
  const { runs, process } = formType(step?.type ?? 'command');
  const names = namesFor(form.values, index);
  // A selected key stays visible and removable after its step was moved or renamed.
  const earlier = steps.slice(0, index).map(({ key }) => key);
  const keys = [...new Set([...earlier, ...(step?.onlyIfChanged ?? [])])].filter((key) => key !== '');
  return (
    <Stack gap="sm">
      <NameField
        names={names}
        grammar="condition"
        label="Condition"
        description="Expression over variables, the host and earlier steps. The step is skipped where it is false."
        placeholder={'steps.build.changed and host.tags.role == "web"'}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.when`)}
      />
      {runs !== 'pause' && <RepeatFields form={form} index={index} readOnly={readOnly} />}
      {runs === 'hosts' && (
        <MultiSelect
          label="Only after a change by these steps"
          data={keys}
          placeholder={keys.length === 0 ? 'No earlier steps' : undefined}
          clearable
          readOnly={readOnly}
          {...form.getInputProps(`${at}.onlyIfChanged`)}
        />
      )}
      {process && (
        <NameField
          names={names}
          grammar="text"
          multiline
          label="Unless"
          description="Command. The step is skipped where it succeeds."
          placeholder="test -e /etc/done"
          minRows={1}
          maxRows={8}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.unless`)}
        />
      )}
      {runs === 'call' && (
        <Switch
          label="Always run"
          description="For cleanup. The steps also run on hosts that failed before."
          disabled={readOnly}
          {...form.getInputProps(`${at}.always`, { type: 'checkbox' })}
        />
      )}
      {runs !== 'pause' && (
        <Switch
          label="Needs confirmation"
          description="Semi-assisted runs wait for confirmation before this step."
          disabled={readOnly}
          {...form.getInputProps(`${at}.confirm`, { type: 'checkbox' })}
        />
      )}
    </Stack>
  );
}
