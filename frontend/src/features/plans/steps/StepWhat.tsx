import { Checkbox, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { NameField } from '../names/NameField';
import { namesFor } from '../names/names';
import { CallFields } from './CallFields';
import { FileFields } from './FileFields';
import { ScriptFields } from './ScriptFields';
import { TemplateFields } from './TemplateFields';
import { MONO, type StepFieldsProps } from './step-field';

export function StepContentFields({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const names = namesFor(form.values, index);
  switch (form.values.steps[index]?.type) {
    case 'wait':
      return (
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <NumberInput
            label="Port"
            description="TCP port of the host. Enter a port or a URL."
            min={1}
            max={65_535}
            allowDecimal={false}
            hideControls
            maw={{ sm: 240 }}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.port`)}
          />
          <TextInput
            label="URL"
            description="Requested from the host until it responds."
            placeholder="http://127.0.0.1:8080/health"
            classNames={MONO}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.url`)}
          />
        </Group>
      );
    case 'script':
      return <ScriptFields input={(field) => form.getInputProps(`${at}.${field}`)} names={names} readOnly={readOnly} />;
    case 'template':
      return (
        <TemplateFields
          input={(field, options) => form.getInputProps(`${at}.${field}`, options)}
          names={names}
          readOnly={readOnly}
        />
      );
    case 'file':
      return (
        <FileFields
          input={(field, options) => form.getInputProps(`${at}.${field}`, options)}
          names={names}
          readOnly={readOnly}
        />
      );
    case 'plan':
      return <CallFields form={form} index={index} readOnly={readOnly} />;
    case 'gate':
      return (
        <Stack gap="sm">
          <Textarea
            label="Message"
            description="Question for the member who opens the gate."
            withAsterisk
            autosize
            minRows={2}
            maxRows={8}
            readOnly={readOnly}
            {...form.getInputProps(`${at}.message`)}
          />
          <Checkbox
            label="Placeholder"
            description="The plan is incomplete here. Blocks dry runs, and no rerun can start after this step."
            disabled={readOnly}
            {...form.getInputProps(`${at}.placeholder`, { type: 'checkbox' })}
          />
        </Stack>
      );
    default:
      return (
        <NameField
          names={names}
          grammar="text"
          multiline
          label="Command"
          description="Shell command. {{ name }} inserts a variable, quoted for the shell."
          withAsterisk
          minRows={2}
          maxRows={18}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.command`)}
        />
      );
  }
}
