import type { ReasonCode } from '../../../common/errors/reason-codes.js';
import type { HostStatus, Verdict } from '../../lifecycle/statuses.js';

export interface Prediction {
  verdict: Verdict;
  status: HostStatus;
  code: ReasonCode;
  reason: string;
  /** True: the verdict comes from the step's `check`. Run it and call `predictByCheck`. */
  needsCheck: boolean;
  /** False: a real run would change nothing; null: unknown. */
  changed: false | null;
  exitCode: number | null;
}

export interface RenderingFault {
  fault: string;
}

/** Result of rendering a step's texts; `needs_results`: they depend on results of earlier steps. */
export type RenderingForecast = 'rendered' | 'needs_results' | RenderingFault;

export interface RenderForecast {
  condition: boolean | 'needs_results' | RenderingFault;
  /** Whether a step that notifies this handler would change the host. Always true for a step that is not a handler. */
  triggered: boolean | 'unknown';
  command: RenderingForecast;
  check: RenderingForecast;
  afterChanges: boolean;
  /** Absent: the step runs no script, or the script is unknown. */
  script?: ForecastScript;
}

export interface ForecastScript {
  program: readonly string[];
  warnings: readonly string[];
}

export const toPrediction = (
  verdict: Verdict,
  code: ReasonCode,
  reason: string,
  more: Partial<Prediction> = {},
): Prediction => ({
  verdict,
  status: 'SUCCEEDED',
  code,
  reason,
  needsCheck: false,
  changed: null,
  exitCode: null,
  ...more,
});

export const toBlockedPrediction = (
  code: ReasonCode | null,
  reason: string | null,
  status: HostStatus = 'FAILED',
): Prediction => toPrediction('BLOCKED', code ?? 'blocked', reason ?? 'The host cannot be used.', { status });

export const toUnknownPrediction = (code: ReasonCode, reason: string, more: Partial<Prediction> = {}): Prediction =>
  toPrediction('CANNOT_PREDICT', code, reason, more);

/** Prediction of a step with `unless`, whose command a dry run does not start. */
export const UNLESS_UNDECIDED: Prediction = toUnknownPrediction(
  'unless_undecided',
  'The command in "unless" decides on the host whether the step is skipped.',
);

export const isRenderingFault = (value: object | string | boolean): value is RenderingFault =>
  typeof value === 'object' && 'fault' in value;
