import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { toProblem } from '../../../api/errors';
import { scriptInspectionQuery } from '../../../api/queries/library/scripts';
import type { ScriptProgram, ScriptWarning } from '../../../api/types';
import { type RecordForm, withoutByteOrderMark, withUnixLineEnds } from './record-form';

interface Props {
  record: { id: string; source: object | null; program?: ScriptProgram | null; warnings?: ScriptWarning[] };
  form: UseFormReturnType<RecordForm>;
  canFix: boolean;
}

/** Shows the program of a saved script, and warnings about its content with fixes. */
export function ScriptNotes(props: Props) {
  return props.record.source === null ? <Notes {...props} /> : <NotesFromGit {...props} />;
}

/** Like `ScriptNotes`, for a script in a git source at its latest sync. */
function NotesFromGit({ record, ...props }: Props) {
  const { data, error } = useQuery(scriptInspectionQuery(record.id));
  return (
    <>
      <Notes {...props} record={{ ...record, program: data?.program ?? record.program, warnings: data?.warnings }} />
      {error && (
        <Text size="sm" c="dimmed" mb="md">
          The file could not be loaded: {toProblem(error).message}
        </Text>
      )}
    </>
  );
}

function Notes({ record: { source, program, warnings = [] }, form, canFix }: Props) {
  return (
    <Stack gap="xs" mb="md">
      <Text size="sm">
        {program ? (
          <>
            Runs with <Code>{program.words.join(' ')}</Code> ({SOURCES[program.source]}).
          </>
        ) : (
          'Line 1 of the file determines the program; otherwise /bin/sh.'
        )}
      </Text>
      {warnings.map(({ reason: { code, text } }) => (
        <Alert key={code} color="yellow" role="status" icon={<IconAlertTriangle aria-hidden />}>
          <Group justify="space-between" gap="sm">
            <Text size="sm" flex={1} miw={240}>
              {text}
            </Text>
            {canFix && (source === null || code === 'interpreter_contradiction') && (
              <RepairButton code={code} form={form} />
            )}
          </Group>
        </Alert>
      ))}
    </Stack>
  );
}

const SOURCES: Record<ScriptProgram['source'], string> = {
  interpreter: 'set as interpreter',
  first_line: 'line 1',
  default: 'default, because line 1 names no program',
};

function RepairButton({ code, form }: { code: string } & Pick<Props, 'form'>) {
  const { content } = form.values;
  const repairs: Partial<Record<string, [label: string, repair: () => void]>> = {
    interpreter_contradiction: ['Remove interpreter', () => form.setFieldValue('interpreter', '')],
    byte_order_mark: ['Remove BOM', () => form.setFieldValue('content', withoutByteOrderMark(content))],
    windows_line_ends: ['Convert to LF', () => form.setFieldValue('content', withUnixLineEnds(content))],
  };
  const [label, repair] = repairs[code] ?? [];
  if (!label) return null;
  return (
    <Button size="compact-sm" variant="default" onClick={repair}>
      {label}
    </Button>
  );
}
