import { toSshError } from '../../../backend/src/transport/ssh-errors.js';
import {
  commandToOutcome,
  type HostOutcome,
  sshErrorToOutcome,
} from '../../../backend/src/executions/engine/progress/host-outcome.js';
import type { Chance } from '../invent/chance.js';
import type { SeedMember } from '../invent/landscape.js';
import type { Ending, RunCourse, Start } from '../invent/run-course.js';
import { RunSimulation } from '../invent/run-simulation.js';
import type { BaseResult, BaseRun } from './base-runs.js';
import type { PastFailure } from './history-request.js';

const STEP_GAP_MS = 30;
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_APPROVAL_MS = 1_800_000;

export interface PastRun {
  base: BaseRun;
  start: Start;
  approver: SeedMember;
  /** Null: the run succeeds. */
  failure: PastFailure | null;
  /** Changes the output of the base run. */
  rewrite: (text: string) => string;
}

/** Simulates a run with the results of its base run, except for the failure. */
export function simulatePastRun({ base, start, approver, failure, rewrite }: PastRun, chance: Chance): RunCourse {
  const simulation = new RunSimulation(start);
  let ms = Math.round(chance.between(80, 400));
  if (start.environment.protected) {
    ms = Math.round(chance.between(60_000, MAX_APPROVAL_MS));
    simulation.decideApproval(ms, approver, 'approved', 'Reviewed.');
  }
  const { steps } = start.snapshot.plan;
  const failingStep = failure?.step === undefined ? 0 : steps.findIndex(({ key }) => key === failure.step);
  // With batches, hosts of later batches would not run, so the last host fails.
  const host = steps[failingStep]?.batch ? start.hosts.at(-1) : chance.pick(start.hosts);
  const failedHost = failure ? host?.server_id : undefined;
  let work = simulation.apply(ms, null, { type: 'claimed' });
  while (work) {
    const { index, hosts } = work;
    const endings = new Map(
      hosts.map((id): [string, Ending] => {
        const known = base.results.find((result) => result.step_index === index && result.server_id === id);
        const from = { ms, pace: chance.between(0.8, 1.6), rewrite };
        if (failure && index === failingStep && id === failedHost)
          return [id, toFailedEnding(start, failure, id, from)];
        const after = id === failedHost ? failure?.after?.[steps[index]?.key ?? ''] : undefined;
        return [id, after ? toEnding(undefined, after, from) : toEnding(known, null, from)];
      }),
    );
    const startMs = ms;
    ms = Math.max(...[...endings.values()].map(({ endMs }) => endMs)) + STEP_GAP_MS;
    simulation.endStep(index, startMs, endings);
    work = simulation.apply(ms, null, { type: 'step_finished' });
  }
  return simulation.finish(false);
}

interface EndingBasis {
  ms: number;
  pace: number;
  rewrite: (text: string) => string;
}

const SUCCESS: HostOutcome = { status: 'SUCCEEDED', exitCode: 0, signal: null, code: null, message: null };
const USUAL_MS = 300;

/** @param lines output instead of that of the base run; null: the base run's */
function toEnding(known: BaseResult | undefined, lines: string[] | null, { ms, pace, rewrite }: EndingBasis): Ending {
  const dispatched = known === undefined || known.attempts > 0;
  const outcome = known
    ? {
        ...{ status: known.status, exitCode: known.exit_code, signal: null, code: known.code, message: known.message },
        ...(known.changed === null ? {} : { changed: known.changed }),
      }
    : SUCCESS;
  return {
    dispatchedMs: dispatched ? ms + 20 : null,
    endMs: ms + 25 + Math.round((known?.duration_ms ?? USUAL_MS) * pace),
    outcome,
    verdict: null,
    stdout: rewrite(lines ? toText(lines) : (known?.stdout ?? '')),
    stderr: rewrite(known?.stderr ?? ''),
  };
}

function toFailedEnding(start: Start, failure: PastFailure, id: string, { ms, pace, rewrite }: EndingBasis): Ending {
  const host = start.hosts.find(({ server_id }) => server_id === id);
  const quiet = { verdict: null, stdout: '', stderr: '' };
  if (failure.step === undefined) {
    const attempt = { host: host?.hostname ?? '', port: host?.port ?? 22, timeoutMs: CONNECT_TIMEOUT_MS };
    const error = toSshError({ code: 'ETIMEDOUT' }, { ...attempt, phase: 'connect' });
    return { ...quiet, dispatchedMs: null, endMs: ms + CONNECT_TIMEOUT_MS, outcome: sshErrorToOutcome(error) };
  }
  const rules = { timeoutSeconds: 60, okExitCodes: [0], changedExitCodes: [], readOnly: false };
  return {
    ...quiet,
    dispatchedMs: ms + 20,
    endMs: ms + 25 + Math.round(USUAL_MS * pace),
    outcome: commandToOutcome({ kind: 'exited', exitCode: failure.exitCode ?? 1 }, null, rules),
    stderr: rewrite(toText(failure.stderr ?? []).replaceAll('{host}', host?.name ?? '')),
  };
}

const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
