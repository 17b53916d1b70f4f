import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ScriptProgram, ScriptWarning } from '../../../api/types';
import { type RecordForm, withoutByteOrderMark, withUnixLineEnds } from './record-form';

interface Props {
  record: { program?: ScriptProgram | null; warnings?: ScriptWarning[] };
  form: UseFormReturnType<RecordForm>;
  canFix: boolean;
}

/** The program that runs a saved script, and the warnings of its last save with their repairs. */
export function ScriptNotes({ record: { program, warnings = [] }, form, canFix }: Props) {
  return (
    <Stack gap="xs" mb="md">
      <Text size="sm">
        {program ? (
          <>
            Runs by <Code>{program.words.join(' ')}</Code> ({SOURCES[program.source]}).
          </>
        ) : (
          'Line 1 of the file decides which program runs it; without one /bin/sh.'
        )}
      </Text>
      {warnings.map(({ code, message }) => (
        <Alert key={code} color="yellow" role="status" icon={<IconAlertTriangle aria-hidden />}>
          <Group justify="space-between" gap="sm">
            <Text size="sm" flex={1} miw={240}>
              {message}
            </Text>
            {canFix && <Repair code={code} form={form} />}
          </Group>
        </Alert>
      ))}
    </Stack>
  );
}

const SOURCES: Record<ScriptProgram['source'], string> = {
  interpreter: 'its interpreter',
  first_line: 'line 1',
  default: 'default: line 1 names no program',
};

function Repair({ code, form }: { code: ScriptWarning['code'] } & Pick<Props, 'form'>) {
  const { content } = form.values;
  const repairs: Partial<Record<ScriptWarning['code'], [label: string, repair: () => void]>> = {
    interpreter_contradiction: ['Remove the interpreter', () => form.setFieldValue('interpreter', '')],
    byte_order_mark: ['Remove the BOM', () => form.setFieldValue('content', withoutByteOrderMark(content))],
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
