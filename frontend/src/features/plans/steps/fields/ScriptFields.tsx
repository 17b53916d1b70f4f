import { Alert, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { skipToken, useQuery } from '@tanstack/react-query';
import { scriptChoicesQuery, scriptInspectionQuery } from '../../../../api/queries/library/scripts';
import type { ScriptProgram } from '../../../../api/types';
import { NameTags } from '../../names/NameTags';
import type { Names } from '../../names/names';

const MONO = { input: 'rw-mono' };

interface Props {
  /** Returns the form's input props for a field of the step. */
  input: (field: 'scriptId' | 'arguments' | 'interpreter') => object;
  names: Names;
  readOnly: boolean;
}

export function ScriptFields({ input, names, readOnly }: Props) {
  const { data, error } = useQuery(scriptChoicesQuery);
  const scripts = (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const { error: fieldError, ...chosen } = input('scriptId') as { error?: string; value?: string };
  const { value: interpreter = '' } = input('interpreter') as { value?: string };
  const script = data?.items.find(({ id }) => id === chosen.value);
  const own = useInspection(script?.id, '');
  const [settled] = useDebouncedValue(interpreter.trim(), DEBOUNCE_MS);
  const { data: inspection } = useInspection(script?.id, settled);
  const warnings = settled === interpreter.trim() ? (inspection?.warnings ?? []) : [];
  const program = script?.program ?? own.data?.program;
  return (
    <>
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        <Select
          label="Script"
          description="A run uses the latest revision at its start."
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
          classNames={MONO}
          maw={{ sm: 240 }}
          readOnly={readOnly}
          {...input('interpreter')}
        />
      </Group>
      {warnings.map(({ reason: { code, text } }) => (
        <Alert key={code} color="yellow" role="status" icon={<IconAlertTriangle aria-hidden />}>
          {text}
        </Alert>
      ))}
      <NameTags
        names={names}
        grammar="argument"
        label="Arguments"
        description="Each entry is one argument. {{ name }} inserts a variable. Secrets are only available as environment variables."
        classNames={MONO}
        readOnly={readOnly}
        {...(input('arguments') as { value: string[] })}
      />
    </>
  );
}

/** Pause in typing before an interpreter is validated, in ms. */
const DEBOUNCE_MS = 350;

const useInspection = (id: string | undefined, interpreter: string) => {
  const options = scriptInspectionQuery(id ?? '', interpreter);
  return useQuery({ ...options, queryFn: id === undefined ? skipToken : options.queryFn });
};

/** Describes the script's own program, which an interpreter in this field overrides. */
function interpreterHint(interpreter: string, program: ScriptProgram | null | undefined): string {
  if (!program) return 'Overrides the program of the script.';
  const words = program.words.join(' ');
  if (interpreter.trim() === '') return `Empty: ${words}.`;
  return program.source === 'first_line' ? `Overrides line 1 of the script: ${words}.` : `Overrides ${words}.`;
}
