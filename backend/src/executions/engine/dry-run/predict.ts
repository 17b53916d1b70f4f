import type { ReasonCode } from '../../../common/errors/reason-codes.js';
import type { PlanStep, ProgramStep } from '../../../plans/steps/types/step-types.js';
import { toStartingStep } from '../../steps/step-command.js';
import {
  isRenderingFault,
  type Prediction,
  type RenderForecast,
  toBlockedPrediction,
  toPrediction,
  toUnknownPrediction,
} from '../../steps/types/prediction.js';
import { getRunStepType } from '../../steps/types/run-step-types.js';
import type { HostOutcome } from '../progress/host-outcome.js';
import { findBlocker, type HostProbe } from './host-probe.js';

export type ProbeFinding = { kind: 'blocked'; outcome: HostOutcome } | { kind: 'answered'; probe: HostProbe };

/**
 * How a `check` ended. `lost`: Runward did not see its end. In `timed_out`, `ended` is true if Runward saw the end
 * later.
 */
export type CheckCompletion =
  | { kind: 'exited'; exitCode: number }
  | { kind: 'signalled'; signal: string }
  | { kind: 'timed_out'; ended: boolean }
  | { kind: 'lost' | 'refused'; message: string };

const toSkipPrediction = (code: ReasonCode, reason: string): Prediction =>
  toPrediction('WOULD_SKIP', code, reason, { status: 'SKIPPED', changed: false });

/** Predicts a step that is skipped whatever the host answers; null: probe the host. */
export function predictSkip(step: PlanStep, { condition, triggered }: RenderForecast): Prediction | null {
  if (condition === false)
    return toSkipPrediction('when_false', `The condition is false on this host: ${step.when ?? ''}`);
  if (triggered === false)
    return toSkipPrediction('not_triggered', `${quoteKeys(step.onlyIfChanged)} would change nothing here.`);
  return null;
}

export function predictStep(
  step: PlanStep,
  forecast: RenderForecast,
  finding: ProbeFinding,
  isProtected: boolean,
): Prediction {
  if (finding.kind === 'blocked') {
    const { code, message, status } = finding.outcome;
    return toBlockedPrediction(code, message, status);
  }
  const { condition, command, triggered, afterChanges } = forecast;
  if (isRenderingFault(condition)) return toBlockedPrediction('cannot_render', condition.fault);
  if (isRenderingFault(command)) return toBlockedPrediction('cannot_render', command.fault);
  const starting = toStartingStep(step);
  const blocker = starting && findBlocker(starting, finding.probe, forecast.script?.program);
  // Example: "mkdir, then cd". Earlier steps of a real run may create what is missing.
  if (blocker?.mayPass && afterChanges) return toUnknownPrediction(blocker.code, blocker.message + MAY_BE_CREATED_TEXT);
  if (blocker) return toBlockedPrediction(blocker.code, blocker.message);
  if (condition === 'needs_results')
    return toUnknownPrediction('when_undecided', 'The condition depends on results of earlier steps.');
  if (triggered === 'unknown')
    return toUnknownPrediction(
      'trigger_unknown',
      `The step runs only if ${quoteKeys(step.onlyIfChanged)} changed this host, and that cannot be predicted.`,
    );
  const type = getRunStepType(step);
  return type.runs === 'pause' ? type.predict(step) : type.predict(step, forecast, isProtected);
}

export const predictByFileState = (path: string, found: 'same' | 'differs' | 'absent'): Prediction =>
  found === 'same'
    ? toPrediction('NO_CHANGE', 'file_same', `${path} already has this content.`, { changed: false })
    : toPrediction(
        'WOULD_CHANGE',
        'file_differs',
        found === 'absent' ? `${path} would be created.` : `${path} would be replaced.`,
      );

export function predictByCheck(step: ProgramStep, end: CheckCompletion): Prediction {
  switch (end.kind) {
    case 'exited':
      return predictByExitCode(end.exitCode);
    case 'signalled':
      return toUnknownPrediction('check_failed', `The check was ended on the host by signal ${end.signal}.`);
    case 'timed_out':
      return toUnknownPrediction(
        'check_timed_out',
        `The check ran longer than the step's limit of ${step.timeoutSeconds} s. ${end.ended ? 'It was stopped.' : 'The end of the check was not observed. Inspect the host.'}`,
      );
    case 'lost':
      return toLostCheckPrediction(end.message);
    case 'refused':
      return toUnknownPrediction('check_refused', end.message);
  }
}

/** Prediction for a check whose end Runward did not see. The check is not run again. */
export const toLostCheckPrediction = (why = 'The end of the check was not observed.'): Prediction =>
  toUnknownPrediction(
    'check_lost',
    `The check was started and then lost. ${why} A dry run does not start a check again.`,
  );

function predictByExitCode(exitCode: number): Prediction {
  const more = { exitCode };
  if (exitCode === 0)
    return toPrediction('NO_CHANGE', 'check_no_change', 'The check found nothing to change.', {
      ...more,
      changed: false,
    });
  if (exitCode === 1) return toPrediction('WOULD_CHANGE', 'check_would_change', 'The check predicts a change.', more);
  return toUnknownPrediction(
    'check_failed',
    `The check ended with exit code ${exitCode}. Only 0 (no change) and 1 (a change) are valid.`,
    more,
  );
}

const MAY_BE_CREATED_TEXT = ' An earlier step of the run may still create it; a dry run cannot know.';
const quoteKeys = (keys: readonly string[]) => keys.map((key) => `"${key}"`).join(', ');
