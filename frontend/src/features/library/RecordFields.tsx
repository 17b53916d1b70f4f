import { Group, Paper, SegmentedControl, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { Ref } from 'react';
import { GitSourceSelect } from '../../ui/git/GitSourceSelect';
import type { RecordForm } from './record-form';
import type { RecordKind } from './record-kind';

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

interface Props {
  form: UseFormReturnType<RecordForm>;
  kind: RecordKind;
  readOnly: boolean;
  /** Of the content. */
  text?: Ref<HTMLTextAreaElement>;
}

export function RecordFields({ form, kind, readOnly, text }: Props) {
  const script = kind === 'script';
  return (
    <Paper p="sm">
      <Stack gap="sm">
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <TextInput label="Name" withAsterisk readOnly={readOnly} {...form.getInputProps('name')} />
          {script && (
            <TextInput
              label="Interpreter"
              description="A program's name, or its whole path."
              withAsterisk
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
