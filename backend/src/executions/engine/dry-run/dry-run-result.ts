import type { HostOutcome, StopCause } from '../progress/host-outcome.js';
import type { Verdict } from '../../lifecycle/statuses.js';
import type { Prediction } from '../../steps/types/prediction.js';

export interface DryRunResult {
  outcome: HostOutcome;
  verdict: Verdict | null;
  diff: string | null;
}

export const toDryRunResult = (prediction: Prediction, diff: string | null = null): DryRunResult => {
  const { status, code, reason, exitCode, changed, verdict } = prediction;
  const outcome: HostOutcome = { status, exitCode, signal: null, code, message: reason };
  return { outcome: changed === null ? outcome : { ...outcome, changed }, verdict, diff };
};

export function addWarnings(result: DryRunResult | null, warnings: readonly string[]): DryRunResult | null {
  if (result === null || warnings.length === 0) return result;
  return { ...result, outcome: { ...result.outcome, message: [result.outcome.message, ...warnings].join(' ') } };
}

export const toStoppedResult = (cause: StopCause): DryRunResult => {
  const [status, code, why] =
    cause === 'cancel'
      ? (['CANCELLED', 'cancelled', 'The dry run was cancelled'] as const)
      : (['TIMED_OUT', 'run_timed_out', "The run's own time limit passed"] as const);
  const message = `${why} before anything could be predicted here.`;
  return { outcome: { status, code, message, exitCode: null, signal: null }, verdict: null, diff: null };
};
