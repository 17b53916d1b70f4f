import type { FailurePolicy, PlanStep, StepType } from '../../../api/types';
import { BLANK_LOOP, loopRequest, loopRow, type LoopRow } from './loop-row';
import { list, number, text } from './types/step-type';
import { BLANK_OWN, formType, type OwnRow, readOwn } from './types/step-types';

type Backoff = 'constant' | 'exponential';

interface BaseRow extends LoopRow {
  /** React key, which stays with the row while rows move. */
  row: string;
  key: string;
  name: string;
  type: StepType;
  targets: string;
  runOnce: boolean;
  batch: string;
  when: string;
  onlyIfChanged: string[];
  confirm: boolean;
  timeoutSeconds: number | '';
  retries: { count: number | ''; delaySeconds: number | ''; backoff: Backoff };
  maxFailPercent: number | '';
  /** Empty: the plan's policy. */
  onFailure: FailurePolicy | '';
  always: boolean;
}

/** Form values of a step, as unparsed texts and numbers. Empty means the default. */
export type StepRow = BaseRow & OwnRow;

let rows = 0;
export const newRow = () => `row-${(rows += 1)}`;

const BLANK: Omit<StepRow, 'row' | 'key'> = {
  ...BLANK_OWN,
  ...BLANK_LOOP,
  name: '',
  type: 'command',
  targets: '',
  runOnce: false,
  batch: '',
  when: '',
  onlyIfChanged: [],
  confirm: false,
  timeoutSeconds: '',
  retries: { count: '', delaySeconds: '', backoff: 'constant' },
  maxFailPercent: '',
  onFailure: '',
  always: false,
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
    ...readOwn(step),
    ...loopRow(step),
    row: newRow(),
    key: step.key,
    name: step.name,
    type: step.type,
    targets: step.targets,
    runOnce: step.runOnce,
    batch: step.batch === null ? '' : String(step.batch),
    when: step.when ?? '',
    onlyIfChanged: step.onlyIfChanged,
    confirm: step.confirm,
    timeoutSeconds: step.timeoutSeconds,
    retries: retries ? { ...retries } : BLANK.retries,
    maxFailPercent: step.maxFailPercent ?? '',
    onFailure: step.onFailure ?? '',
    always: step.always,
  };
}

/** Returns the request for a step, with only those fields of its type that are set. */
export function toStep(step: StepRow) {
  const type = formType(step.type);
  const { runs } = type;
  return {
    key: step.key,
    type: step.type,
    targets: step.targets.trim(),
    ...(step.name.trim() ? { name: step.name } : {}),
    ...text('when', step.when),
    ...(step.always ? { always: true } : {}),
    ...(step.confirm ? { confirm: true } : {}),
    ...(runs === 'pause' ? {} : loopRequest(step)),
    ...(runs === 'call' ? {} : conditionAndRetryFields(step)),
    ...type.write(step),
  };
}

/** Fields that a call lacks, because the steps of the called plan define them. */
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
