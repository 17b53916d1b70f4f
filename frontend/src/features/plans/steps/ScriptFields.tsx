import { Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { scriptChoicesQuery } from '../../../api/queries/library/scripts';
import type { ScriptProgram } from '../../../api/types';
import { NameTags } from '../names/NameTags';
import type { Names } from '../names/names';

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

interface Props {
  /** The form's input props for a field of the step. */
  input: (field: 'scriptId' | 'arguments' | 'interpreter') => object;
  names: Names;
  readOnly: boolean;
}

export function ScriptFields({ input, names, readOnly }: Props) {
  const { data, error } = useQuery(scriptChoicesQuery);
  const scripts = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const { error: fieldError, ...chosen } = input('scriptId') as { error?: string; value?: string };
  const { value: interpreter = '' } = input('interpreter') as { value?: string };
  const program = data?.items.find(({ id }) => id === chosen.value)?.program;
  return (
    <>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <Select
          label="Script"
          description="A run takes its latest revision when it starts."
          withAsterisk
          searchable
          data={scripts}
          readOnly={readOnly}
          error={fieldError ?? (error ? 'The scripts could not be loaded.' : undefined)}
          {...chosen}
        />
        <TextInput
          label="Interpreter"
          description={interpreterHint(interpreter, program)}
          styles={MONO}
          maw={{ sm: 240 }}
          readOnly={readOnly}
          {...input('interpreter')}
        />
      </Group>
      <NameTags
        names={names}
        grammar="argument"
        label="Arguments"
        description="Each one argument, whatever is in it. {{ name }} puts a variable in; secrets are exported only."
        styles={MONO}
        readOnly={readOnly}
        {...(input('arguments') as { value: string[] })}
      />
    </>
  );
}

/** Names the program of the script, which an interpreter here overrides. */
function interpreterHint(interpreter: string, program: ScriptProgram | null | undefined): string {
  if (!program) return 'Instead of the script’s own.';
  const words = program.words.join(' ');
  if (interpreter.trim() === '') return `Empty: ${words}.`;
  return program.source === 'first_line' ? `Overrides line 1 of the script: ${words}.` : `Instead of ${words}.`;
}
