import { SimpleGrid, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { NameField } from '../names/NameField';
import { namesFor } from '../names/names';
import { MONO, type StepFieldsProps } from './step-field';

const CODES = { acceptValueOnBlur: true, splitChars: [',', ' '] };

export function StepAdvanced({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const become = (
    <TextInput
      label="Run as"
      description="Another user of the host, by sudo; it must need no password."
      placeholder="The login user"
      styles={MONO}
      readOnly={readOnly}
      {...form.getInputProps(`${at}.become`)}
    />
  );
  const type = form.values.steps[index]?.type;
  if (type === 'template' || type === 'file') return become;
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="sm">
        {become}
        <TextInput
          label="Working directory"
          description="An absolute path."
          placeholder="The user’s home"
          styles={MONO}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.workingDirectory`)}
        />
        <TagsInput
          label="Exit codes that mean success"
          placeholder="0"
          {...CODES}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.okExitCodes`)}
        />
        <TagsInput
          label="Exit codes that mean a change"
          description="When there are any, only these count as one."
          {...CODES}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.changedExitCodes`)}
        />
      </SimpleGrid>
      <Textarea
        label="Environment"
        description="A line NAME=value each. Nothing secret: whoever sees the plan sees it."
        placeholder="LANG=C.UTF-8"
        autosize
        minRows={1}
        maxRows={10}
        styles={MONO}
        spellCheck={false}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.environment`)}
      />
      <TagsInput
        label="Outputs"
        description="Names that the command may set by lines name=value in the file $RUNWARD_OUTPUT."
        acceptValueOnBlur
        readOnly={readOnly}
        {...form.getInputProps(`${at}.outputs`)}
      />
      <NameField
        names={namesFor(form.values, index)}
        grammar="text"
        multiline
        label="Check for dry runs"
        description="A command that changes nothing: it ends with 0 when there is nothing to change, with 1 when there is."
        minRows={1}
        maxRows={8}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.check`)}
      />
      <Switch
        label="Read only"
        description="It never changes anything."
        disabled={readOnly}
        {...form.getInputProps(`${at}.readOnly`, { type: 'checkbox' })}
      />
      <Switch
        label="May be repeated"
        description="When its result is lost, it may be started again by itself."
        disabled={readOnly}
        {...form.getInputProps(`${at}.idempotent`, { type: 'checkbox' })}
      />
    </Stack>
  );
}
