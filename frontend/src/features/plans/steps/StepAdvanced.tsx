import { SimpleGrid, Stack, Switch, TagsInput, Textarea, TextInput } from '@mantine/core';
import { formType } from '../form/types/step-types';
import { NameField } from '../names/NameField';
import { namesFor } from '../names/names';
import { MONO, type StepFieldsProps } from './fields/step-field';

const CODES = { acceptValueOnBlur: true, splitChars: [',', ' '] };

export function StepAdvanced({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const become = (
    <TextInput
      label="Run as"
      description="Another user on the host, with sudo without password."
      placeholder="Login user"
      classNames={MONO}
      readOnly={readOnly}
      {...form.getInputProps(`${at}.become`)}
    />
  );
  const step = form.values.steps[index];
  if (step && formType(step.type).process === 'user') return become;
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="sm">
        {become}
        <TextInput
          label="Working directory"
          description="An absolute path."
          placeholder="Home folder of the user"
          classNames={MONO}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.workingDirectory`)}
        />
        <TagsInput
          label="Success exit codes"
          placeholder="0"
          {...CODES}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.okExitCodes`)}
        />
        <TagsInput
          label="Change exit codes"
          description="If set, only these exit codes count as a change."
          {...CODES}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.changedExitCodes`)}
        />
      </SimpleGrid>
      <Textarea
        label="Environment"
        description="One NAME=value per line. Do not enter secrets: everyone who can view the plan sees them."
        placeholder="LANG=C.UTF-8"
        autosize
        minRows={1}
        maxRows={10}
        classNames={MONO}
        spellCheck={false}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.environment`)}
      />
      <TagsInput
        label="Outputs"
        description="Names that the command can set with name=value lines in the file $RUNWARD_OUTPUT."
        acceptValueOnBlur
        readOnly={readOnly}
        {...form.getInputProps(`${at}.outputs`)}
      />
      <NameField
        names={namesFor(form.values, index)}
        grammar="text"
        multiline
        label="Test command for dry runs"
        description="Must change nothing. Exit code 0: no change needed; 1: the step would change the host."
        minRows={1}
        maxRows={8}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.check`)}
      />
      <Switch
        label="Read only"
        description="The step never changes the host."
        disabled={readOnly}
        {...form.getInputProps(`${at}.readOnly`, { type: 'checkbox' })}
      />
      <Switch
        label="Safe to repeat"
        description="Runward can start it again automatically when its result is lost."
        disabled={readOnly}
        {...form.getInputProps(`${at}.idempotent`, { type: 'checkbox' })}
      />
    </Stack>
  );
}
