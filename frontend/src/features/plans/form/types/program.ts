import type { PlanStep } from '../../../../api/types';
import { linesOfMap, mapOfLines } from './text-map';
import { list, text } from './step-type';

/** Fields of each type that starts a command. */
export interface StartRow {
  become: string;
  unless: string;
}

export interface ProgramRow extends StartRow {
  workingDirectory: string;
  /** One `NAME=value` per line. */
  environment: string;
  okExitCodes: string[];
  changedExitCodes: string[];
  readOnly: boolean;
  idempotent: boolean;
  outputs: string[];
  check: string;
}

export const BLANK_START: StartRow = { become: '', unless: '' };
export const BLANK_PROGRAM: ProgramRow = {
  ...BLANK_START,
  workingDirectory: '',
  environment: '',
  okExitCodes: [],
  changedExitCodes: [],
  readOnly: false,
  idempotent: false,
  outputs: [],
  check: '',
};

export const readStart = ({ become, unless }: PlanStep): StartRow => ({ become: become ?? '', unless: unless ?? '' });

export const readProgram = (step: PlanStep): ProgramRow => ({
  ...readStart(step),
  workingDirectory: step.workingDirectory ?? '',
  environment: linesOfMap(step.environment ?? {}),
  okExitCodes: isDefaultExitCodes(step.okExitCodes) ? [] : (step.okExitCodes ?? []).map(String),
  changedExitCodes: (step.changedExitCodes ?? []).map(String),
  readOnly: step.readOnly ?? false,
  idempotent: step.idempotent ?? false,
  outputs: step.outputs ?? [],
  check: step.check ?? '',
});

const isDefaultExitCodes = (exitCodes: readonly number[] | undefined) =>
  !exitCodes || (exitCodes.length === 1 && exitCodes[0] === 0);

export const writeStart = ({ become, unless }: StartRow) => ({ ...text('become', become), ...text('unless', unless) });

export const writeProgram = (row: ProgramRow) => ({
  ...writeStart(row),
  ...text('workingDirectory', row.workingDirectory),
  ...(row.environment.trim() ? { environment: mapOfLines(row.environment) } : {}),
  ...codes('okExitCodes', row.okExitCodes),
  ...codes('changedExitCodes', row.changedExitCodes),
  ...text('check', row.check),
  ...(row.readOnly ? { readOnly: true } : {}),
  ...(row.idempotent ? { idempotent: true } : {}),
  ...list('outputs', row.outputs),
});

/** Sends invalid numbers unchanged, so that the server reports them on the field. */
const codes = <N extends string>(name: N, values: string[]) =>
  (values.length > 0 ? { [name]: values.map((value) => (/^-?\d+$/.test(value) ? Number(value) : value)) } : {}) as {
    [K in N]?: number[];
  };
