import { Group, Paper, SegmentedControl, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, type Ref, useState } from 'react';
import { GitSourceSelect } from '../../../ui/git/GitSourceSelect';
import type { RecordForm } from './record-form';
import type { RecordKind } from '../record-kind';
import { offsetOf, type Place } from './template-places';

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

/** What is shown beside the fields. */
export interface Beside {
  /** As it is typed; null: it stands in a git source. */
  content: string | null;
  /** Puts the cursor there. */
  goTo: (place: Place) => void;
}

interface FieldsProps {
  form: UseFormReturnType<RecordForm>;
  kind: RecordKind;
  readOnly: boolean;
}

interface Props extends FieldsProps {
  beside?: (beside: Beside) => ReactNode;
}

export function RecordFields({ beside, ...fields }: Props) {
  const [text, setText] = useState<HTMLTextAreaElement | null>(null);
  const { from, content } = fields.form.values;
  const goTo = (place: Place) => {
    const offset = offsetOf(content, place);
    text?.focus();
    text?.setSelectionRange(offset, offset);
  };
  return (
    <SimpleGrid cols={{ base: 1, lg: beside ? 2 : 1 }} spacing="md">
      <Fields {...fields} text={setText} />
      {beside?.({ content: from === 'here' ? content : null, goTo })}
    </SimpleGrid>
  );
}

function Fields({ form, kind, readOnly, text }: FieldsProps & { text: Ref<HTMLTextAreaElement> }) {
  const script = kind === 'script';
  return (
    <Paper p="sm">
      <Stack gap="sm">
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <TextInput label="Name" withAsterisk readOnly={readOnly} {...form.getInputProps('name')} />
          {script && (
            <TextInput
              label="Interpreter"
              description="Empty: line 1 decides (#!…), else /bin/sh."
              styles={MONO}
              maw={{ sm: 260 }}
              readOnly={readOnly}
              {...form.getInputProps('interpreter')}
            />
          )}
        </Group>
        <TextInput label="Description" readOnly={readOnly} {...form.getInputProps('description')} />
        <SegmentedControl
          aria-label="Where the content stands"
          data={[
            { value: 'here', label: 'Written here' },
            { value: 'git', label: 'In a git source' },
          ]}
          disabled={readOnly}
          {...form.getInputProps('from')}
        />
        {form.values.from === 'git' && <SourceFields form={form} readOnly={readOnly} />}
        <Textarea
          ref={text}
          display={form.values.from === 'git' ? 'none' : undefined}
          label="Content"
          description={
            script
              ? 'Arguments come as $1, $2, …; the variables of the plan stand in the environment, secrets too.'
              : 'Liquid: {{ name }} puts a variable in as it is, {{ host.name }} and {{ host.tags.role }} tell of the host.'
          }
          withAsterisk={script}
          autosize
          minRows={14}
          maxRows={40}
          spellCheck={false}
          wrap="off"
          styles={MONO}
          readOnly={readOnly}
          {...form.getInputProps('content')}
        />
      </Stack>
    </Paper>
  );
}

function SourceFields({ form, readOnly }: Pick<Props, 'form' | 'readOnly'>) {
  return (
    <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
      <GitSourceSelect
        description="A run takes the file when it starts, and holds to its commit."
        readOnly={readOnly}
        {...form.getInputProps('source.gitSourceId')}
      />
      <TextInput
        label="File"
        description="Path from the top of the repository."
        placeholder="deploy/restart.sh"
        withAsterisk
        styles={MONO}
        readOnly={readOnly}
        {...form.getInputProps('source.path')}
      />
      <TextInput
        label="Branch, tag or commit"
        description="Empty: the branch of the source."
        styles={MONO}
        readOnly={readOnly}
        {...form.getInputProps('source.ref')}
      />
    </Group>
  );
}
