import {
  type CommandStep,
  type PlanStep,
  type ScriptStep,
  writesFile,
  type WritingStep,
} from '../../../plans/steps/plan-content.js';
import type { HostOutcome } from '../progress/host-outcome.js';
import type { HostStatus, Verdict } from '../../lifecycle/statuses.js';
import { startingStep } from '../../steps/step-command.js';
import { blockerOf, type HostProbe } from './host-probe.js';

/** What a real run would do with a step on a host. */
export interface Prediction {
  verdict: Verdict;
  status: HostStatus;
  code: string;
  /** In words, for people. */
  reason: string;
  /** The step's `check` tells more: run it and ask `predictByCheck`. */
  needsCheck: boolean;
  /** False where a real run would change nothing; null: not known, and a dry run itself changes nothing. */
  changed: false | null;
  exitCode: number | null;
}

/** A text of a step that can't be rendered with what is known of the run and the host. */
export interface Fault {
  fault: string;
}

/** Whether a step's texts can be rendered; `needs_results`: only what earlier steps come to tells. */
export type Rendering = 'rendered' | 'needs_results' | Fault;

/** What is known of a step on a host before anybody asks the host. */
export interface RenderForecast {
  /** Whether `when` holds. */
  condition: boolean | 'needs_results' | Fault;
  /** Whether a step that it is the handler of would change the host; true for a step that is no handler. */
  triggered: boolean | 'unknown';
  command: Rendering;
  check: Rendering;
  /** Whether some earlier step may change the host first. */
  afterChanges: boolean;
  /** Of a step that runs a script; absent: it runs none, or its script is not known. */
  script?: ForecastScript;
}

/** What a dry run shows of a script. */
export interface ForecastScript {
  /** Program that runs it, then the program's own arguments. */
  program: readonly string[];
  /** Likely mistakes in it, for people. */
  warnings: readonly string[];
}

/** What came of asking the host: why that was not possible, or what it answered. */
export type Finding = { kind: 'blocked'; outcome: HostOutcome } | { kind: 'answered'; probe: HostProbe };

/** How a `check` ended. `lost`: nobody saw it end; `timed_out` tells whether it was seen to end after all. */
export type CheckEnd =
  | { kind: 'exited'; exitCode: number }
  | { kind: 'signalled'; signal: string }
  | { kind: 'timed_out'; ended: boolean }
  | { kind: 'lost' | 'refused'; message: string };

const predicted = (verdict: Verdict, code: string, reason: string, more: Partial<Prediction> = {}): Prediction => ({
  verdict,
  status: 'SUCCEEDED',
  code,
  reason,
  needsCheck: false,
  changed: null,
  exitCode: null,
  ...more,
});

const wouldSkip = (code: string, reason: string): Prediction =>
  predicted('WOULD_SKIP', code, reason, { status: 'SKIPPED', changed: false });
/** A step that can't begin on the host. */
export const blocked = (code: string | null, reason: string | null, status: HostStatus = 'FAILED'): Prediction =>
  predicted('BLOCKED', code ?? 'blocked', reason ?? 'The host can not be used.', { status });
const cannotPredict = (code: string, reason: string, more: Partial<Prediction> = {}): Prediction =>
  predicted('CANNOT_PREDICT', code, reason, more);

/** A step that is left out whatever the host says; null: the host has to be asked. */
export function predictSkip(step: PlanStep, { condition, triggered }: RenderForecast): Prediction | null {
  if (condition === false) return wouldSkip('when_false', `The condition does not hold here: ${step.when ?? ''}`);
  if (triggered === false)
    return wouldSkip('not_triggered', `Nothing would be changed here by ${quoted(step.onlyIfChanged)}.`);
  return null;
}

/** What the step would do on a host that was asked. @param isProtected whether the run's environment is, at this moment */
export function predict(step: PlanStep, forecast: RenderForecast, finding: Finding, isProtected: boolean): Prediction {
  if (finding.kind === 'blocked') {
    const { code, message, status } = finding.outcome;
    return blocked(code, message, status);
  }
  const { condition, command, triggered, afterChanges } = forecast;
  if (isFault(condition)) return blocked('cannot_render', condition.fault);
  if (isFault(command)) return blocked('cannot_render', command.fault);
  const starting = startingStep(step);
  const blocker = starting && blockerOf(starting, finding.probe, forecast.script?.program);
  // An honest word for "mkdir, then cd": nothing is in the way of a real run if the steps before do what they are for.
  if (blocker?.mayPass && afterChanges) return cannotPredict(blocker.code, blocker.message + MAY_BE_MADE);
  if (blocker) return blocked(blocker.code, blocker.message);
  if (condition === 'needs_results')
    return cannotPredict('when_undecided', 'Whether its condition holds depends on what earlier steps come to.');
  if (triggered === 'unknown')
    return cannotPredict(
      'trigger_unknown',
      `It runs only if ${quoted(step.onlyIfChanged)} changed this host, and that can not be predicted.`,
    );
  if (writesFile(step)) return predictFile(step, forecast);
  return step.type === 'command' || step.type === 'script'
    ? predictCommand(step, forecast, isProtected)
    : predictOther(step);
}

function predictCommand(
  step: CommandStep | ScriptStep,
  { command, check, script }: RenderForecast,
  isProtected: boolean,
): Prediction {
  if (command === 'needs_results')
    return cannotPredict('needs_results', 'The command is made of what earlier steps come to.');
  if (step.unless !== null)
    return cannotPredict(
      'unless_undecided',
      'The command in "unless" decides on the host whether the step is skipped.',
    );
  const run = script ? `The script would run by "${script.program.join(' ')}"` : 'The command would run';
  if (step.readOnly) return predicted('WOULD_RUN', 'read_only', `${run} and change nothing.`, { changed: false });
  if (step.check === null)
    return predicted('WOULD_RUN', 'no_check', `${run}. What it changes is not predicted: it has no check.`);
  if (isFault(check)) return blocked('check_not_rendered', `The check can not be rendered: ${check.fault}`);
  if (check === 'needs_results')
    return cannotPredict('needs_results', 'The check is made of what earlier steps come to.');
  if (isProtected)
    return cannotPredict(
      'check_needs_approval',
      'The environment is protected: a check is a command too and needs an approval, which a dry run does not have.',
    );
  return cannotPredict('check_not_run', 'The check was not run.', { needsCheck: true });
}

/** What becomes of a file is seen by reading the one that is there. */
function predictFile(step: WritingStep, { command }: RenderForecast): Prediction {
  if (command === 'needs_results')
    return cannotPredict('needs_results', 'The file is made of what earlier steps come to.');
  if (step.unless !== null)
    return cannotPredict(
      'unless_undecided',
      'The command in "unless" decides on the host whether the step is skipped.',
    );
  return cannotPredict('file_not_read', 'The file was not read.', { needsCheck: true });
}

/** What the step would do to the file that is there. */
export const predictByFile = (path: string, found: 'same' | 'differs' | 'absent'): Prediction =>
  found === 'same'
    ? predicted('NO_CHANGE', 'file_same', `${path} has this content already.`, { changed: false })
    : predicted(
        'WOULD_CHANGE',
        'file_differs',
        found === 'absent' ? `${path} would be made.` : `${path} would be replaced.`,
      );

function predictOther(step: Extract<PlanStep, { type: 'gate' | 'wait' }>): Prediction {
  if (step.type === 'gate') return predicted('WOULD_RUN', 'waits_for_person', `Waits for a person: ${step.message}`);
  const target = step.url === null ? `port ${step.port} answers on the host` : `${step.url} answers the host`;
  return predicted('WOULD_RUN', 'waits', `Waits until ${target}, for at most ${step.timeoutSeconds} s.`, {
    changed: false,
  });
}

/** What the step would do by the word of its check. */
export function predictByCheck(step: CommandStep | ScriptStep, end: CheckEnd): Prediction {
  switch (end.kind) {
    case 'exited':
      return predictByExitCode(end.exitCode);
    case 'signalled':
      return cannotPredict('check_failed', `The check was ended on the host by signal ${end.signal}.`);
    case 'timed_out':
      return cannotPredict(
        'check_timed_out',
        `The check ran longer than the step's limit of ${step.timeoutSeconds} s. ${end.ended ? 'It was stopped.' : 'It could not be seen to end: look on the host.'}`,
      );
    case 'lost':
      return checkLost(end.message);
    case 'refused':
      return cannotPredict('check_refused', end.message);
  }
}

/** A check whose end nobody saw. It is not run again. */
export const checkLost = (why = 'Nobody saw it end.'): Prediction =>
  cannotPredict('check_lost', `The check was started and then lost. ${why} A dry run does not start a check again.`);

function predictByExitCode(exitCode: number): Prediction {
  const more = { exitCode };
  if (exitCode === 0)
    return predicted('NO_CHANGE', 'check_no_change', 'By its check there is nothing to change.', {
      ...more,
      changed: false,
    });
  if (exitCode === 1)
    return predicted('WOULD_CHANGE', 'check_would_change', 'By its check it would change something.', more);
  return cannotPredict(
    'check_failed',
    `The check ended with exit code ${exitCode}, which tells nothing: 0 means nothing to change, 1 a change.`,
    more,
  );
}

const MAY_BE_MADE = ' An earlier step of the run may still make it; a dry run does not know.';
const isFault = (value: unknown): value is Fault => typeof value === 'object' && value !== null;
const quoted = (keys: readonly string[]) => keys.map((key) => `"${key}"`).join(', ');
