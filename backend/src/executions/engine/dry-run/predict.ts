import type { CommandStep } from '../../../plans/steps/types/command.step.js';
import { type PlanStep, writesFile, type WritingStep } from '../../../plans/steps/types/step-types.js';
import type { ScriptStep } from '../../../plans/steps/types/script.step.js';
import type { HostOutcome } from '../progress/host-outcome.js';
import type { HostStatus, Verdict } from '../../lifecycle/statuses.js';
import { toStartingStep } from '../../steps/step-command.js';
import { findBlocker, type HostProbe } from './host-probe.js';

export interface Prediction {
  verdict: Verdict;
  status: HostStatus;
  code: string;
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

const toPrediction = (verdict: Verdict, code: string, reason: string, more: Partial<Prediction> = {}): Prediction => ({
  verdict,
  status: 'SUCCEEDED',
  code,
  reason,
  needsCheck: false,
  changed: null,
  exitCode: null,
  ...more,
});

const toSkipPrediction = (code: string, reason: string): Prediction =>
  toPrediction('WOULD_SKIP', code, reason, { status: 'SKIPPED', changed: false });
export const toBlockedPrediction = (
  code: string | null,
  reason: string | null,
  status: HostStatus = 'FAILED',
): Prediction => toPrediction('BLOCKED', code ?? 'blocked', reason ?? 'The host cannot be used.', { status });
const toUnknownPrediction = (code: string, reason: string, more: Partial<Prediction> = {}): Prediction =>
  toPrediction('CANNOT_PREDICT', code, reason, more);

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
  if (writesFile(step)) return predictFile(step, forecast);
  return step.type === 'command' || step.type === 'script'
    ? predictCommand(step, forecast, isProtected)
    : predictGateOrWait(step);
}

function predictCommand(
  step: CommandStep | ScriptStep,
  { command, check, script }: RenderForecast,
  isProtected: boolean,
): Prediction {
  if (command === 'needs_results')
    return toUnknownPrediction('needs_results', 'The command depends on results of earlier steps.');
  if (step.unless !== null)
    return toUnknownPrediction(
      'unless_undecided',
      'The command in "unless" decides on the host whether the step is skipped.',
    );
  const run = script ? `The script would run with "${script.program.join(' ')}"` : 'The command would run';
  if (step.readOnly) return toPrediction('WOULD_RUN', 'read_only', `${run} and change nothing.`, { changed: false });
  if (step.check === null)
    return toPrediction(
      'WOULD_RUN',
      'no_check',
      `${run}. Its changes are not predicted, because the step has no check.`,
    );
  if (isRenderingFault(check))
    return toBlockedPrediction('check_not_rendered', `The check cannot be rendered: ${check.fault}`);
  if (check === 'needs_results')
    return toUnknownPrediction('needs_results', 'The check depends on results of earlier steps.');
  if (isProtected)
    return toUnknownPrediction(
      'check_needs_approval',
      'The environment is protected. A check is a command, so it needs an approval. A dry run has none.',
    );
  return toUnknownPrediction('check_not_run', 'The check was not run.', { needsCheck: true });
}

function predictFile(step: WritingStep, { command }: RenderForecast): Prediction {
  if (command === 'needs_results')
    return toUnknownPrediction('needs_results', 'The file depends on results of earlier steps.');
  if (step.unless !== null)
    return toUnknownPrediction(
      'unless_undecided',
      'The command in "unless" decides on the host whether the step is skipped.',
    );
  return toUnknownPrediction('file_not_read', 'The file was not read.', { needsCheck: true });
}

export const predictByFileState = (path: string, found: 'same' | 'differs' | 'absent'): Prediction =>
  found === 'same'
    ? toPrediction('NO_CHANGE', 'file_same', `${path} already has this content.`, { changed: false })
    : toPrediction(
        'WOULD_CHANGE',
        'file_differs',
        found === 'absent' ? `${path} would be created.` : `${path} would be replaced.`,
      );

function predictGateOrWait(step: Extract<PlanStep, { type: 'gate' | 'wait' }>): Prediction {
  if (step.type === 'gate') return toPrediction('WOULD_RUN', 'waits_for_person', `Waits for a person: ${step.message}`);
  const target = step.url === null ? `port ${step.port} answers on the host` : `${step.url} answers the host`;
  return toPrediction('WOULD_RUN', 'waits', `Waits until ${target}, for at most ${step.timeoutSeconds} s.`, {
    changed: false,
  });
}

export function predictByCheck(step: CommandStep | ScriptStep, end: CheckCompletion): Prediction {
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
const isRenderingFault = (value: unknown): value is RenderingFault => typeof value === 'object' && value !== null;
const quoteKeys = (keys: readonly string[]) => keys.map((key) => `"${key}"`).join(', ');
