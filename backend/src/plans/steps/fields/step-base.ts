export const FAILURE_POLICIES = ['stop', 'continue'] as const;
export type FailurePolicy = (typeof FAILURE_POLICIES)[number];

export const BACKOFFS = ['constant', 'exponential'] as const;

export interface StepRetries {
  count: number;
  /** Delay before the first retry, in seconds. */
  delaySeconds: number;
  backoff: (typeof BACKOFFS)[number];
}

/** Fields of every step. */
export interface StepBase {
  key: string;
  name: string;
  targets: string;
  /** Time limit per host, in seconds; for a gate, the time for an answer. */
  timeoutSeconds: number;
  runOnce: boolean;
  /** Condition for `evaluateCondition`; null = always. */
  when: string | null;
  retries: StepRetries | null;
  /** Batch size: a number such as "5", or a percentage of hosts such as "25%"; null = all hosts. */
  batch: string | null;
  /** Percentage of hosts that may fail, 0 to 100; null = limit of the plan, which counts all hosts of the run. */
  maxFailPercent: number | null;
  /** Null = the plan's setting. */
  onFailure: FailurePolicy | null;
  always: boolean;
  confirm: boolean;
  /** Keys of earlier steps. If not empty, the step runs only on hosts that one of these changed. */
  onlyIfChanged: string[];
}

export const BASE_DEFAULTS: Omit<StepBase, 'key' | 'name' | 'timeoutSeconds'> = {
  targets: '',
  runOnce: false,
  when: null,
  retries: null,
  batch: null,
  maxFailPercent: null,
  onFailure: null,
  always: false,
  confirm: false,
  onlyIfChanged: [],
};
