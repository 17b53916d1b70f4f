import { toHostReason } from '../../../backend/src/common/http/reason.view.js';
import { decideNextState } from '../../../backend/src/executions/lifecycle/decide.js';
import type { RunEffect, RunEvent } from '../../../backend/src/executions/lifecycle/run-event.js';
import {
  ADMITTED,
  CLEARED,
  type HostInStep,
  type OpenStep,
  type RunState,
} from '../../../backend/src/executions/lifecycle/run-state.js';
import { type HostStatus, toStatusAction } from '../../../backend/src/executions/lifecycle/statuses.js';
import { createOutputPointers, type NewRunEvent } from '../../../backend/src/executions/output/run-events.js';
import { listStatusEvents } from '../../../backend/src/executions/store/save-run-state.js';
import { toStepPolicy } from '../../../backend/src/executions/steps/step-policy.js';
import { listTargetIds } from '../../../backend/src/executions/steps/step-targets.js';
import type { SeedMember } from './landscape.js';
import type {
  Ending,
  Start,
  RunCourse,
  CourseApproval,
  CourseChunk,
  CourseFact,
  CourseResult,
  CourseStep,
} from './run-course.js';

type Work = Extract<RunEffect, { type: 'run_step' }>;

/**
 * Simulates a run. The engine's own rules ({@link decideNextState}) determine statuses, so that only possible histories result.
 * Events and records are built here in the engine's format.
 */
export class RunSimulation {
  private readonly start: Start;
  private state: RunState;
  private readonly steps: CourseStep[];
  private readonly results: CourseResult[] = [];
  private readonly events: (NewRunEvent & { ms: number })[] = [];
  private readonly chunks: CourseChunk[] = [];
  private readonly facts: CourseFact[] = [];
  private startMs: number | null = null;
  private endMs = 0;
  private approval: CourseApproval | null = null;

  constructor(start: Start) {
    this.start = start;
    this.state = acceptedState(start);
    this.steps = this.state.steps.map(() => ({ startMs: null, endMs: null }));
    const { status, pause } = this.state;
    const pauseReason = pause?.reason ?? null;
    this.addEvents(0, [
      { type: 'execution.status_changed', data: { status, previous: null, reason: null, pauseReason } },
    ]);
    if (pause) {
      const data = { digest: start.digest, requiredApprovals: 1, reason: null };
      this.addEvents(0, [{ type: 'approval.requested', data }]);
    }
    this.facts.push({
      ms: 0,
      by: start.by,
      action: 'execution.start',
      before: null,
      after: toStartedEvent(start, status),
    });
  }

  decideApproval(ms: number, by: SeedMember, verdict: 'approved' | 'rejected', comment: string): void {
    const user = { id: by.id, name: by.name };
    this.addEvents(ms, [{ type: 'approval.decided', data: { decision: verdict, comment, user } }]);
    const action = verdict === 'approved' ? 'execution.approve' : 'execution.reject';
    this.facts.push({ ms, by, action, before: null, after: { digest: this.start.digest, comment } });
    const decision = { by, verdict, comment };
    this.approval = { state: verdict, decidedMs: ms, decision };
    this.apply(
      ms,
      by,
      verdict === 'approved' ? { type: verdict, by: by.name } : { type: verdict, by: by.name, comment },
    );
  }

  closeApproval(ms: number, state: 'expired' | 'cancelled'): void {
    this.approval = { state, decidedMs: ms, decision: null };
  }

  /** Applies an event to the run. @returns the next step to run; null: none */
  apply(ms: number, by: SeedMember | null, event: RunEvent): Work | null {
    const before: RunState = { ...this.state, settled: [], reopened: null, answered: null };
    const { state, effects } = decideNextState(before, event);
    if (state.settled.length > 0) throw new Error('A course gives each host its result itself.');
    this.state = state;
    this.addStepEvents(ms, before, state);
    if (state.status !== before.status) {
      this.addEvents(ms, listStatusEvents(before, state));
      this.facts.push({
        ms,
        by,
        action: toStatusAction(state.status),
        before: { status: before.status },
        after: { status: state.status, reason: state.reason, pauseReason: state.pause?.reason ?? null },
      });
    }
    if (state.status === 'RUNNING') this.startMs ??= ms;
    this.endMs = ms;
    return effects.find((effect) => effect.type === 'run_step') ?? null;
  }

  endStep(index: number, startMs: number, endings: ReadonlyMap<string, Ending>): void {
    const { key } = this.start.snapshot.plan.steps[index] ?? { key: '' };
    const lines: (NewRunEvent & { ms: number })[] = [];
    for (const [serverId, ending] of [...endings].sort(([, a], [, b]) => a.endMs - b.endMs)) {
      this.results.push({ index, serverId, startMs, ...ending });
      lines.push(...this.hostEvents(index, key, serverId, ending));
    }
    this.events.push(...lines.sort((a, b) => a.ms - b.ms));
    this.state = { ...this.state, ...outcomesIn(this.state, index, endings, key) };
  }

  /** @throws Error if the run has not ended */
  finish(exact: boolean): RunCourse {
    const { status, reason, steps, hosts } = this.state;
    if (this.state.pause || steps.some((step) => step.status === 'RUNNING' || step.status === 'PENDING'))
      throw new Error(`The course ends while the run is ${status}.`);
    return {
      start: this.start,
      status,
      reason,
      startMs: this.startMs,
      endMs: this.endMs,
      steps: steps.map((step, index) => ({ ...step, ...(this.steps[index] as CourseStep) })),
      hosts,
      results: this.results,
      events: this.events.sort((a, b) => a.ms - b.ms),
      chunks: this.chunks,
      approval: this.approval,
      facts: this.facts,
      exact,
    };
  }

  /** Yields the events of a host in a step. Output precedes the end. */
  private hostEvents(
    index: number,
    stepKey: string,
    serverId: string,
    ending: Ending,
  ): (NewRunEvent & { ms: number })[] {
    const { dispatchedMs, endMs, outcome, verdict } = ending;
    const events: (NewRunEvent & { ms: number })[] = [];
    if (dispatchedMs !== null)
      events.push({ ms: dispatchedMs + 1, type: 'host.started', data: { stepKey, serverId, status: 'RUNNING' } });
    const chunks = chunksOf(index, serverId, ending);
    const before = this.chunks.length;
    this.chunks.push(...chunks);
    for (const { from, to, size } of createOutputPointers(chunks))
      events.push({ ms: endMs, type: 'output.appended', data: { from: before + from, to: before + to, size } });
    const { status, exitCode, signal, code, message, changed = null } = outcome;
    const more = verdict ? { verdict } : {};
    const reason = toHostReason(code, message);
    const data = { stepKey, serverId, status, exitCode, signal, reason, changed, ...more };
    events.push({ ms: endMs, type: 'host.finished', data });
    return events;
  }

  /** In the format of `writeProgress`. */
  private addStepEvents(ms: number, before: RunState, state: RunState): void {
    for (const [index, { key: stepKey, status, reason }] of state.steps.entries()) {
      const previous = before.steps[index];
      const times = this.steps[index];
      if (!times || (previous?.status === status && previous.reason?.text === reason?.text)) continue;
      const starts = status === 'RUNNING';
      if (!starts && (status === 'PENDING' || status === 'PAUSED')) continue;
      if (starts) times.startMs ??= ms;
      else times.endMs = ms;
      this.addEvents(ms, [{ type: starts ? 'step.started' : 'step.finished', data: { stepKey, status, reason } }]);
    }
  }

  private addEvents(ms: number, events: readonly NewRunEvent[]): void {
    this.events.push(...events.map((event) => ({ ...event, ms })));
  }
}

/** Returns the state after the start. In a protected environment the run waits for approval. */
function acceptedState({ snapshot: { plan }, hosts, environment, mode }: Start): RunState {
  const waits = environment.protected && mode !== 'dry_run';
  return {
    status: waits ? 'PAUSED' : 'PENDING',
    reason: null,
    mode,
    strategy: plan.strategy,
    maxFailPercent: plan.maxFailPercent,
    steps: plan.steps.map((step) => ({
      key: step.key,
      status: 'PENDING',
      reason: null,
      confirmed: false,
      targets: listTargetIds(step.targets, hosts),
      policy: toStepPolicy(step, plan),
    })),
    hosts: Object.fromEntries(hosts.map(({ server_id }): [string, HostStatus] => [server_id, 'PENDING'])),
    open: [],
    reached: {},
    toleratedFailures: {},
    changed: {},
    done: {},
    pause: waits ? { reason: 'APPROVAL', index: null, text: null } : null,
    pauseRequestedBy: null,
    clearance: CLEARED,
    admission: ADMITTED,
    settled: [],
    reopened: null,
    answered: null,
  };
}

/** Returns the audit record of a start, in the format of `AcceptRun`. */
const toStartedEvent = (
  { plan, revision, environment, mode, hosts, digest, snapshot, note }: Start,
  status: string,
) => ({
  status,
  planId: plan.id,
  planRevision: revision,
  environmentId: environment.id,
  execution_mode: mode,
  hosts: hosts.length,
  digest,
  secrets: snapshot.secretNames,
  note,
});

function outcomesIn(state: RunState, index: number, endings: ReadonlyMap<string, Ending>, key: string) {
  const open = state.open.map((step): OpenStep => {
    if (step.index !== index) return step;
    const ended = [...endings].map(([id, { outcome, dispatchedMs }]): [string, HostInStep] => [
      id,
      { status: outcome.status, dispatched: dispatchedMs !== null },
    ]);
    return { index, hosts: { ...step.hosts, ...Object.fromEntries(ended) } };
  });
  const changed = [...endings].filter(([, { outcome }]) => outcome.changed === true).map(([id]) => id);
  return { open, changed: { ...state.changed, [key]: [...(state.changed[key] ?? []), ...changed] } };
}

/** One chunk per stream suffices, because invented output is short. */
function chunksOf(index: number, serverId: string, { stdout, stderr, endMs }: Ending): CourseChunk[] {
  let firstLine = 1;
  return (['stdout', 'stderr'] as const).flatMap((stream) => {
    const text = stream === 'stdout' ? stdout : stderr;
    if (text === '') return [];
    const lineCount = text.split('\n').length - 1;
    const chunk = { index, serverId, stream, firstLine, lineCount, data: Buffer.from(text), ms: endMs };
    firstLine += lineCount;
    return [chunk];
  });
}
