import type { VariableDefinition } from '../variables/variable-definition.js';
import type { FailurePolicy } from './fields/step-base.js';
import { STEP_DEFAULTS, type WrittenStep } from './types/step-types.js';

export const STRATEGIES = ['barrier', 'free'] as const;
/** When a step starts on a host: after all hosts have finished the previous step, or independently of other hosts. */
export type Strategy = (typeof STRATEGIES)[number];

export interface PlanContent {
  targets: string;
  variables: VariableDefinition[];
  steps: WrittenStep[];
  /** Time limit of the whole run, in seconds; null = none. */
  timeoutSeconds: number | null;
  /** Percentage of the run's hosts that may fail, 0 to 100. Applies to steps without their own limit. */
  maxFailPercent: number;
  onFailure: FailurePolicy;
  strategy: Strategy;
  /** Whether runs in one environment may be concurrent if they share no host. */
  parallelSafe: boolean;
  /** Names of locks. Only one run of the tenant holds a lock at a time. */
  locks: string[];
  /** Modes in which a run can start; empty = all. */
  allowedModes: string[];
}

export const EMPTY_PLAN: Readonly<PlanContent> = {
  targets: '',
  variables: [],
  steps: [],
  timeoutSeconds: null,
  maxFailPercent: 0,
  onFailure: 'stop',
  strategy: 'barrier',
  parallelSafe: false,
  locks: [],
  allowedModes: [],
};

/** Reads the content of a stored revision or snapshot. Fields that are newer than it get their defaults. */
export function readPlanContent(stored: object): PlanContent {
  const content = { ...EMPTY_PLAN, ...stored };
  return { ...content, steps: content.steps.map(addStepDefaults) };
}

const addStepDefaults = (stored: WrittenStep): WrittenStep => ({ ...STEP_DEFAULTS[stored.type], ...stored });
