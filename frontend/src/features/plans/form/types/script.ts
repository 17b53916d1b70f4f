import { BLANK_PROGRAM, type ProgramRow, readProgram, writeProgram } from './program';
import { type FormStepType, text } from './step-type';

interface ScriptRow extends ProgramRow {
  scriptId: string;
  arguments: string[];
  interpreter: string;
}

export const SCRIPT: FormStepType<ScriptRow> = {
  label: 'Script from the library',
  runs: 'hosts',
  process: 'program',
  blank: { ...BLANK_PROGRAM, scriptId: '', arguments: [], interpreter: '' },
  read: (step) => ({
    ...readProgram(step),
    scriptId: step.scriptId ?? '',
    arguments: step.arguments ?? [],
    interpreter: step.interpreter ?? '',
  }),
  write: (row) => ({
    scriptId: row.scriptId,
    arguments: row.arguments,
    ...text('interpreter', row.interpreter),
    ...writeProgram(row),
  }),
  commands: ({ unless, check }) => [unless, check],
  texts: (row) => row.arguments,
  outputs: ({ outputs }) => outputs,
  summary: (step) => (step.arguments ?? []).join(' '),
};
