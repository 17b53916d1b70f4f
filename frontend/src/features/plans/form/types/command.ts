import { BLANK_PROGRAM, type ProgramRow, readProgram, writeProgram } from './program';
import type { FormStepType } from './step-type';

interface CommandRow extends ProgramRow {
  command: string;
}

export const COMMAND: FormStepType<CommandRow> = {
  label: 'Command',
  runs: 'hosts',
  process: 'program',
  blank: { ...BLANK_PROGRAM, command: '' },
  read: (step) => ({ ...readProgram(step), command: step.command ?? '' }),
  write: (row) => ({ command: row.command, ...writeProgram(row) }),
  fields: [
    {
      name: 'command',
      kind: 'template',
      label: 'Command',
      description: 'Shell command. {{ name }} inserts a variable, quoted for the shell.',
      required: true,
      minRows: 2,
      maxRows: 18,
    },
  ],
  commands: ({ command, unless, check }) => [command, unless, check],
  texts: () => [],
  outputs: ({ outputs }) => outputs,
  summary: ({ command }) => command ?? '',
};
