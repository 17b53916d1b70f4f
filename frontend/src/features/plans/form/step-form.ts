import type { FailurePolicy, PlanStep, StepType } from '../../../api/types';
import {
  BLANK_CALL,
  BLANK_LOOP,
  callRequest,
  callRow,
  type CallRow,
  loopRequest,
  loopRow,
  type LoopRow,
} from './call-step';
import {
  BLANK_FILE,
  BLANK_SCRIPT,
  BLANK_TEMPLATE,
  type FileRow,
  fileRequest,
  fileRow,
  type ScriptRow,
  scriptRequest,
  scriptRow,
  type TemplateRow,
  templateRequest,
  templateRow,
} from './library-step';
import { linesOfMap, mapOfLines } from './text-map';

type Backoff = 'constant' | 'exponential';

/** Form values of a step, as unparsed texts and numbers. Empty means the default. */
export interface StepRow extends ScriptRow, FileRow, TemplateRow, CallRow, LoopRow {
  /** React key, which stays with the row while rows move. */
  row: string;
  key: string;
  name: string;
  type: StepType;
  command: string;
  port: number | '';
  url: string;
  message: string;
  placeholder: boolean;
  targets: string;
  runOnce: boolean;
  batch: string;
  when: string;
  onlyIfChanged: string[];
  unless: string;
  confirm: boolean;
  timeoutSeconds: number | '';
  retries: { count: number | ''; delaySeconds: number | ''; backoff: Backoff };
  maxFailPercent: number | '';
  /** Empty: the plan's policy. */
  onFailure: FailurePolicy | '';
  always: boolean;
  become: string;
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

let rows = 0;
export const newRow = () => `row-${(rows += 1)}`;

const BLANK: Omit<StepRow, 'row' | 'key'> = {
  ...BLANK_SCRIPT,
  ...BLANK_FILE,
  ...BLANK_TEMPLATE,
  ...BLANK_CALL,
  ...BLANK_LOOP,
  name: '',
  type: 'command',
  command: '',
  port: '',
  url: '',
  message: '',
  placeholder: false,
  targets: '',
  runOnce: false,
  batch: '',
  when: '',
  onlyIfChanged: [],
  unless: '',
  confirm: false,
  timeoutSeconds: '',
  retries: { count: '', delaySeconds: '', backoff: 'constant' },
  maxFailPercent: '',
  onFailure: '',
  always: false,
  become: '',
  workingDirectory: '',
  environment: '',
  okExitCodes: [],
  changedExitCodes: [],
  readOnly: false,
  idempotent: false,
  outputs: [],
  check: '',
};

/** Returns a new step with an unused key. */
export const emptyStep = (taken: readonly StepRow[]): StepRow => ({
  ...BLANK,
  row: newRow(),
  key: unusedKey('step', taken),
});

export const copyOfStep = (step: StepRow, taken: readonly StepRow[]): StepRow => ({
  ...step,
  row: newRow(),
  key: unusedKey(step.key, taken),
});

function unusedKey(base: string, taken: readonly StepRow[]): string {
  const stem = base.replace(/-\d+$/, '');
  for (let number = taken.length === 0 ? 1 : 2; ; number += 1) {
    const key = `${stem}-${number}`;
    if (taken.every((step) => step.key !== key)) return key;
  }
}

export function stepRow(step: PlanStep): StepRow {
  const { retries } = step;
  return {
    ...scriptRow(step),
    ...fileRow(step),
    ...templateRow(step),
    ...callRow(step),
    ...loopRow(step),
    row: newRow(),
    key: step.key,
    name: step.name,
    type: step.type,
    command: step.command ?? '',
    port: step.port ?? '',
    url: step.url ?? '',
    message: step.message ?? '',
    placeholder: step.placeholder ?? false,
    targets: step.targets,
    runOnce: step.runOnce,
    batch: step.batch === null ? '' : String(step.batch),
    when: step.when ?? '',
    onlyIfChanged: step.onlyIfChanged,
    unless: step.unless ?? '',
    confirm: step.confirm,
    timeoutSeconds: step.timeoutSeconds,
    retries: retries ? { ...retries } : BLANK.retries,
    maxFailPercent: step.maxFailPercent ?? '',
    onFailure: step.onFailure ?? '',
    always: step.always,
    become: step.become ?? '',
    workingDirectory: step.workingDirectory ?? '',
    environment: linesOfMap(step.environment ?? {}),
    okExitCodes: isDefaultExitCodes(step.okExitCodes) ? [] : (step.okExitCodes ?? []).map(String),
    changedExitCodes: (step.changedExitCodes ?? []).map(String),
    readOnly: step.readOnly ?? false,
    idempotent: step.idempotent ?? false,
    outputs: step.outputs ?? [],
    check: step.check ?? '',
  };
}

const isDefaultExitCodes = (codes: readonly number[] | undefined) => !codes || (codes.length === 1 && codes[0] === 0);

/** Returns the request for a step, with only those fields of its type that are set. */
export function toStep(step: StepRow) {
  return {
    key: step.key,
    type: step.type,
    targets: step.targets.trim(),
    ...(step.name.trim() ? { name: step.name } : {}),
    ...text('when', step.when),
    ...(step.always ? { always: true } : {}),
    ...(step.confirm ? { confirm: true } : {}),
    ...(step.type === 'gate' ? {} : loopRequest(step)),
    ...(step.type === 'plan' ? {} : conditionAndRetryFields(step)),
    ...ownFields(step),
  };
}

/** Fields that a step of type `plan` lacks, because the steps of the called plan define them. */
function conditionAndRetryFields(step: StepRow) {
  const { count, delaySeconds, backoff } = step.retries;
  return {
    ...number('timeoutSeconds', step.timeoutSeconds),
    ...(step.runOnce ? { runOnce: true } : {}),
    ...(count === '' ? {} : { retries: { count, backoff, delaySeconds: delaySeconds === '' ? 0 : delaySeconds } }),
    ...text('batch', step.batch),
    ...number('maxFailPercent', step.maxFailPercent),
    ...(step.onFailure === '' ? {} : { onFailure: step.onFailure }),
    ...list('onlyIfChanged', step.onlyIfChanged),
  };
}

function ownFields(step: StepRow) {
  switch (step.type) {
    case 'command':
      return { command: step.command, ...programFields(step) };
    case 'script':
      return { ...scriptRequest(step), ...programFields(step) };
    case 'template':
      return { ...templateRequest(step), ...text('become', step.become), ...text('unless', step.unless) };
    case 'file':
      return { ...fileRequest(step), ...text('become', step.become), ...text('unless', step.unless) };
    case 'wait':
      return { ...number('port', step.port), ...text('url', step.url) };
    case 'gate':
      return { message: step.message, ...(step.placeholder ? { placeholder: true } : {}) };
    case 'plan':
      return callRequest(step);
  }
}

const programFields = (step: StepRow) => ({
  ...text('become', step.become),
  ...text('workingDirectory', step.workingDirectory),
  ...(step.environment.trim() ? { environment: mapOfLines(step.environment) } : {}),
  ...codes('okExitCodes', step.okExitCodes),
  ...codes('changedExitCodes', step.changedExitCodes),
  ...text('unless', step.unless),
  ...text('check', step.check),
  ...(step.readOnly ? { readOnly: true } : {}),
  ...(step.idempotent ? { idempotent: true } : {}),
  ...list('outputs', step.outputs),
});

const text = <N extends string>(name: N, value: string) =>
  (value.trim() ? { [name]: value.trim() } : {}) as { [K in N]?: string };
const number = <N extends string>(name: N, value: number | '') =>
  (value === '' ? {} : { [name]: value }) as { [K in N]?: number };
const list = <N extends string>(name: N, values: string[]) =>
  (values.length > 0 ? { [name]: values } : {}) as { [K in N]?: string[] };
/** Sends invalid numbers unchanged, so that the server reports them on the field. */
const codes = <N extends string>(name: N, values: string[]) =>
  (values.length > 0 ? { [name]: values.map((value) => (/^-?\d+$/.test(value) ? Number(value) : value)) } : {}) as {
    [K in N]?: number[];
  };
