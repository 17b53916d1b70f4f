import { Group, Paper, SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type ReactNode, useState } from 'react';
import { CodeField } from '../../../ui/code/CodeField';
import { scriptLanguage, templateLanguage } from '../../../ui/code/languages';
import { GitSourceSelect } from '../../../ui/git/GitSourceSelect';
import type { RecordForm } from './record-form';
import type { RecordKind } from './record-kind';
import type { Place } from './template-places';

const MONO = { input: 'rw-mono' };
const SCRIPT_HELP = 'Arguments are $1, $2, …. Variables of the plan, including secrets, are environment variables.';
const TEMPLATE_HELP =
  'Liquid: {{ name }} inserts a variable unchanged; {{ host.name }} and {{ host.tags.role }} insert fields of the host.';

export interface BesideEditor {
  /** Unsaved content; null: the content is in a git source. */
  content: string | null;
  /** Moves the cursor to this position. */
  goTo: (place: Place) => void;
}

interface FieldsProps {
  form: UseFormReturnType<RecordForm>;
  kind: RecordKind;
  readOnly: boolean;
}

interface Props extends FieldsProps {
  beside?: (beside: BesideEditor) => ReactNode;
}

export function RecordFields({ beside, ...fields }: Props) {
  const [targetPosition, setTargetPosition] = useState<Place | null>(null);
  const { from, content } = fields.form.values;
  return (
    <SimpleGrid cols={{ base: 1, lg: beside ? 2 : 1 }} spacing="md">
      <Fields {...fields} targetPosition={targetPosition} />
      {beside?.({ content: from === 'here' ? content : null, goTo: setTargetPosition })}
    </SimpleGrid>
  );
}

function Fields({ form, kind, readOnly, targetPosition }: FieldsProps & { targetPosition: Place | null }) {
  const script = kind === 'script';
  const { name, interpreter, from, content } = form.values;
  return (
    <Paper p="sm">
      <Stack gap="sm">
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <TextInput label="Name" withAsterisk readOnly={readOnly} {...form.getInputProps('name')} />
          {script && (
            <TextInput
              label="Interpreter"
              description="Empty: line 1 of the script (#!…), else /bin/sh."
              classNames={MONO}
              maw={{ sm: 260 }}
              readOnly={readOnly}
              {...form.getInputProps('interpreter')}
            />
          )}
        </Group>
        <TextInput label="Description" readOnly={readOnly} {...form.getInputProps('description')} />
        <SegmentedControl
          aria-label="Source"
          data={[
            { value: 'here', label: 'Stored in Runward' },
            { value: 'git', label: 'Git source' },
          ]}
          disabled={readOnly}
          {...form.getInputProps('from')}
        />
        {from === 'git' && <SourceFields form={form} readOnly={readOnly} />}
        {from === 'here' && (
          <CodeField
            label="Content"
            description={script ? SCRIPT_HELP : TEMPLATE_HELP}
            withAsterisk={script}
            language={script ? scriptLanguage(interpreter, content) : templateLanguage(name, content)}
            liquid={!script}
            readOnly={readOnly}
            targetPosition={targetPosition}
            value={content}
            error={form.errors.content}
            onChange={(text) => form.setFieldValue('content', text)}
          />
        )}
      </Stack>
    </Paper>
  );
}

function SourceFields({ form, readOnly }: Pick<Props, 'form' | 'readOnly'>) {
  return (
    <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
      <GitSourceSelect
        description="A run uses the latest commit at its start."
        readOnly={readOnly}
        {...form.getInputProps('source.gitSourceId')}
      />
      <TextInput
        label="File"
        description="Path from the root of the repository."
        placeholder="deploy/restart.sh"
        withAsterisk
        classNames={MONO}
        readOnly={readOnly}
        {...form.getInputProps('source.path')}
      />
      <TextInput
        label="Branch, tag or commit"
        description="Empty: branch of the source."
        classNames={MONO}
        readOnly={readOnly}
        {...form.getInputProps('source.ref')}
      />
    </Group>
  );
}
