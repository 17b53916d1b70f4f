import { predictStep } from '../../../backend/src/executions/engine/dry-run/predict.js';
import { type DryRunResult, toDryRunResult } from '../../../backend/src/executions/engine/dry-run/dry-run-result.js';
import {
  commandToOutcome,
  sshErrorToOutcome,
  type StopCause,
} from '../../../backend/src/executions/engine/progress/host-outcome.js';
import type { PlanStep } from '../../../backend/src/plans/steps/types/step-types.js';
import { toSshError } from '../../../backend/src/transport/ssh-errors.js';
import type { StepCourse } from './catalogue.js';
import type { Chance } from './chance.js';
import type { SeedMember } from './landscape.js';
import type { Ending, Start, RunCourse } from './run-course.js';
import { RunSimulation } from './run-simulation.js';

/** Kind of history. The plan's rules decide which status results. */
export type RunFate = 'well' | 'host_in_trouble' | 'cancelled' | 'out_of_time';
/** Decision about a run that waits for approval. `left`: the request expires without a decision. */
export type Answer = 'approved' | 'rejected' | 'left' | 'cancelled';

export interface Approval {
  approver: SeedMember;
  answer: Answer;
}

const SECOND = 1_000;
const APPROVAL_TTL_MS = 86_400 * SECOND;
const CONNECT_TIMEOUT_MS = 10 * SECOND;
const STEP_GAP_MS = 30;
/** Exit of a shell whose command was ended by SIGTERM. */
const TERMINATED_RESULT = { kind: 'exited', exitCode: 143 } as const;
/** Fraction of executions that report a change, for steps that report changes by exit code. */
const CHANGED_SHARE = 0.3;
const CANCEL_REASONS = ['Wrong release.', 'Started on the wrong hosts.', 'Not during the sale.', 'Takes too long.'];

export function simulateRun(start: Start, turn: RunFate, { approver, answer }: Approval, chance: Chance): RunCourse {
  const simulation = new RunSimulation(start);
  let ms = 0;
  if (start.environment.protected && start.mode !== 'dry_run') {
    ms = Math.round(chance.between(60 * SECOND, 3_600 * SECOND));
    if (answer === 'left') {
      simulation.closeApproval(APPROVAL_TTL_MS, 'expired');
      simulation.apply(APPROVAL_TTL_MS, null, { type: 'pause_expired' });
      return simulation.finish(true);
    }
    if (answer === 'cancelled') {
      simulation.closeApproval(ms, 'cancelled');
      simulation.apply(ms, start.by, {
        type: 'cancel_requested',
        by: start.by.name,
        reason: chance.pick(CANCEL_REASONS),
      });
      return simulation.finish(false);
    }
    simulation.decideApproval(ms, approver, answer, answer === 'approved' ? 'Reviewed.' : chance.pick(CANCEL_REASONS));
    if (answer === 'rejected') return simulation.finish(false);
  }
  return simulateCourse(simulation, start, turn, ms + Math.round(chance.between(80, 400)), chance);
}

function simulateCourse(
  simulation: RunSimulation,
  start: Start,
  turn: RunFate,
  claimedMs: number,
  chance: Chance,
): RunCourse {
  const { plan } = start.snapshot;
  const last = plan.steps.length - 1;
  /** Unreachable hosts fail in the first step, other hosts in a random step. */
  const unreachable = turn === 'host_in_trouble' && chance.happens(0.25);
  const fateStepIndex = turn === 'well' ? -1 : unreachable ? 0 : chance.below(last + 1);
  const deadlineMs = claimedMs + (plan.timeoutSeconds ?? 0) * SECOND;
  let ms = claimedMs;
  let work = simulation.apply(ms, null, { type: 'claimed' });
  let exact = false;
  while (work) {
    const { index, hosts } = work;
    const step = plan.steps[index] as PlanStep;
    const course = start.plan.sketch.steps[index]?.course as StepCourse;
    const context = { start, step, course, ms, deadlineMs };
    const turns = index === fateStepIndex;
    const failingHost = turns && turn === 'host_in_trouble' ? chance.pick(hosts) : null;
    const endings = new Map(
      hosts.map((id): [string, Ending] => {
        if (start.mode === 'dry_run') return [id, toPreviewEnding(context, chance)];
        if (id === failingHost)
          return [id, unreachable ? toUnreachedEnding(context, id) : simulateFailure(context, id, chance)];
        if (turns && turn === 'cancelled') return [id, simulateStop(context, id, 'cancel', chance)];
        if (turns && turn === 'out_of_time') return [id, simulateStop(context, id, 'deadline', chance)];
        return [id, simulateSuccess(context, id, chance)];
      }),
    );
    const startMs = ms;
    ms = Math.max(...[...endings.values()].map(({ endMs }) => endMs)) + STEP_GAP_MS;
    if (turns && turn === 'cancelled') {
      const requestedMs = Math.min(...[...endings.values()].map(({ endMs }) => endMs)) - 1;
      simulation.apply(requestedMs, start.by, {
        type: 'cancel_requested',
        by: start.by.name,
        reason: chance.pick(CANCEL_REASONS),
      });
    }
    simulation.endStep(index, startMs, endings);
    exact ||= turns && turn === 'out_of_time';
    work = simulation.apply(ms, null, { type: turns && turn === 'out_of_time' ? 'deadline_passed' : 'step_finished' });
  }
  return simulation.finish(exact);
}

interface StepContext {
  start: Start;
  step: PlanStep;
  course: StepCourse;
  /** Start of the step, in ms from the start of the run. */
  ms: number;
  /** Time limit of the run, in ms from its start. */
  deadlineMs: number;
}

const dispatchedAt = (ms: number, chance: Chance): number => ms + Math.round(chance.between(120, 450));

function simulateSuccess({ start, step, course, ms }: StepContext, id: string, chance: Chance): Ending {
  const changes = 'changedExitCodes' in step && step.changedExitCodes.length > 0 && chance.happens(CHANGED_SHARE);
  const exitCode = changes ? (step.changedExitCodes[0] ?? 0) : 0;
  const dispatchedMs = dispatchedAt(ms, chance);
  return {
    dispatchedMs,
    endMs: dispatchedMs + Math.round(chance.between(...course.seconds) * SECOND),
    outcome: commandToOutcome({ kind: 'exited', exitCode }, null, rulesOf(step)),
    verdict: null,
    stdout: linesOf(course.outputLines, start, id),
    stderr: '',
  };
}

function simulateFailure(context: StepContext, id: string, chance: Chance): Ending {
  const { start, step, course, ms } = context;
  if (chance.happens(0.15)) return simulateStop(context, id, 'step_timeout', chance);
  const [exitCode, line] = chance.pick(course.failures);
  const dispatchedMs = dispatchedAt(ms, chance);
  return {
    dispatchedMs,
    endMs: dispatchedMs + Math.round(chance.between(...course.seconds) * SECOND),
    outcome: commandToOutcome({ kind: 'exited', exitCode }, null, rulesOf(step)),
    verdict: null,
    stdout: linesOf(course.outputLines.slice(0, 1), start, id),
    stderr: linesOf([line], start, id),
  };
}

function simulateStop(context: StepContext, id: string, cause: StopCause, chance: Chance): Ending {
  const { start, step, course, ms } = context;
  const dispatchedMs = dispatchedAt(ms, chance);
  return {
    dispatchedMs,
    endMs: getStopMs(context, dispatchedMs, cause, chance),
    outcome: commandToOutcome(TERMINATED_RESULT, cause, rulesOf(step)),
    verdict: null,
    stdout: linesOf(course.outputLines.slice(0, 1), start, id),
    stderr: 'Terminated\n',
  };
}

function getStopMs(
  { step, course, deadlineMs }: StepContext,
  dispatchedMs: number,
  cause: StopCause,
  chance: Chance,
): number {
  if (cause === 'step_timeout') return dispatchedMs + step.timeoutSeconds * SECOND + 40;
  if (cause === 'deadline') return Math.max(dispatchedMs, deadlineMs) + Math.round(chance.between(20, 200));
  return dispatchedMs + Math.round(course.seconds[0] * SECOND * chance.between(0.3, 0.9)) + 50;
}

function toUnreachedEnding({ start, ms }: StepContext, id: string): Ending {
  const host = start.hosts.find(({ server_id }) => server_id === id);
  const attempt = { host: host?.hostname ?? '', port: host?.port ?? 22, timeoutMs: CONNECT_TIMEOUT_MS };
  const error = toSshError({ code: 'ETIMEDOUT' }, { ...attempt, phase: 'connect' });
  const outcome = sshErrorToOutcome(error);
  return { dispatchedMs: null, endMs: ms + CONNECT_TIMEOUT_MS, outcome, verdict: null, stdout: '', stderr: '' };
}

function toPreviewEnding({ start, step, ms }: StepContext, chance: Chance): Ending {
  const preview: DryRunResult = toDryRunResult(
    predictStep(
      step,
      {
        condition: true,
        triggered: step.onlyIfChanged.length > 0 ? 'unknown' : true,
        command: 'rendered',
        check: 'rendered',
        afterChanges: false,
      },
      { kind: 'answered', probe: { loginUser: 'deploy', rights: new Map(), folders: new Map(), programs: new Map() } },
      start.environment.protected,
    ),
  );
  const endMs = ms + Math.round(chance.between(80, 400));
  return { dispatchedMs: null, endMs, outcome: preview.outcome, verdict: preview.verdict, stdout: '', stderr: '' };
}

const rulesOf = (step: PlanStep) => ({
  timeoutSeconds: step.timeoutSeconds,
  okExitCodes: 'okExitCodes' in step ? step.okExitCodes : [0],
  changedExitCodes: 'changedExitCodes' in step ? step.changedExitCodes : [],
  readOnly: 'readOnly' in step && step.readOnly,
});

function linesOf(lines: readonly string[], { hosts, snapshot }: Start, id: string): string {
  const host = hosts.find(({ server_id }) => server_id === id)?.name ?? '';
  const release = String(snapshot.variables.release ?? '');
  return lines.map((line) => `${line.replaceAll('{host}', host).replaceAll('{release}', release)}\n`).join('');
}
