import { describe, expect, it } from '@jest/globals';
import { pendingRun, runningRun } from '../../../test/support/run-states.js';
import { decideNextState } from './decide.js';
import type { RunEvent } from './run-event.js';
import type { RunAdmission, RunState } from './run-state.js';
import { EXECUTION_STATUSES, type ExecutionStatus, isFinished, PAUSE_REASONS } from './statuses.js';
import { requireTransition, isExpectedEvent } from './transitions.js';

const EVENTS: RunEvent[] = [
  { type: 'claimed' },
  { type: 'admission_asked' },
  { type: 'step_finished' },
  { type: 'cancel_requested', by: 'Ada', reason: null },
  { type: 'commands_stopped' },
  { type: 'deadline_passed' },
  { type: 'engine_failed' },
  { type: 'abandoned', reason: { code: 'copied_installation', text: 'Copied.' } },
  { type: 'approved', by: 'Ada' },
  { type: 'rejected', by: 'Ada', comment: 'no' },
  { type: 'pause_expired' },
  { type: 'decided', action: 'abort', serverIds: null, by: 'Ada', comment: null },
  { type: 'pause_requested', by: { id: 'ada', name: 'Ada' } },
  { type: 'hosts_finished', hosts: ['a', 'b'], within: { from: 0, to: 1 } },
  { type: 'mode_changed', mode: 'auto' },
];

const NEXT_STATUSES: ExecutionStatus[] = [
  ...(['RUNNING', 'PAUSED', 'SUCCEEDED', 'PARTIALLY_SUCCEEDED'] as const),
  ...(['FAILED', 'INTERRUPTED', 'CANCELLED'] as const),
];

/** Second, independent copy of the table: allowed next statuses for each status and event. */
const ALLOWED: Record<string, ExecutionStatus[]> = {
  'PENDING claimed': ['PENDING', ...NEXT_STATUSES],
  'PENDING admission_asked': ['PENDING', 'PAUSED', 'CANCELLED', 'EXPIRED'],
  'PENDING cancel_requested': ['CANCELLED'],
  'PENDING engine_failed': ['FAILED', 'INTERRUPTED'],
  'PENDING abandoned': ['CANCELLED'],
  'PENDING pause_requested': ['PENDING'],
  'PENDING mode_changed': ['PENDING'],
  'RUNNING claimed': NEXT_STATUSES,
  'RUNNING step_finished': NEXT_STATUSES,
  'RUNNING hosts_finished': ['RUNNING'],
  'RUNNING cancel_requested': ['CANCELLING'],
  'RUNNING deadline_passed': ['TIMED_OUT', 'SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'INTERRUPTED'],
  'RUNNING engine_failed': ['FAILED', 'INTERRUPTED'],
  'RUNNING abandoned': ['CANCELLED', 'INTERRUPTED'],
  'RUNNING pause_requested': ['RUNNING'],
  'RUNNING mode_changed': ['RUNNING'],
  'PAUSED approved': ['PENDING'],
  'PAUSED rejected': ['REJECTED'],
  'PAUSED pause_expired': ['EXPIRED'],
  'PAUSED cancel_requested': ['CANCELLED', 'CANCELLING'],
  'PAUSED decided': ['RUNNING', 'CANCELLING'],
  'PAUSED abandoned': ['CANCELLED', 'INTERRUPTED'],
  'PAUSED mode_changed': ['PAUSED'],
  'CANCELLING claimed': ['CANCELLED', 'CANCELLING'],
  'CANCELLING step_finished': ['CANCELLED'],
  'CANCELLING commands_stopped': ['CANCELLED'],
  'CANCELLING deadline_passed': ['CANCELLED'],
  'CANCELLING engine_failed': ['CANCELLED'],
  'CANCELLING abandoned': ['CANCELLED', 'INTERRUPTED'],
  'CANCELLING cancel_requested': ['CANCELLING'],
};

const pairs = EXECUTION_STATUSES.flatMap((status) =>
  EVENTS.map((event) => ({ status, event, pair: `${status} ${event.type}` })),
);
const VISIBLE_STATUSES = [
  'PENDING',
  'CONNECTING*',
  'RUNNING*',
  'SUCCEEDED*',
  'FAILED*',
  'UNKNOWN*',
  'UNREACHABLE',
] as const;

const ADMISSIONS: RunAdmission[] = [
  ...(['admitted', 'waiting', 'early', 'blocked', 'free'] as const).map((kind) => ({ kind })),
  ...(['late', 'refused'] as const).map((kind) => ({ kind, reason: { code: 'queue_expired' as const, text: 'X.' } })),
];

function statesIn(status: ExecutionStatus): RunState[] {
  const begun = VISIBLE_STATUSES.flatMap((a) => VISIBLE_STATUSES.map((b) => runningRun({ a, b }, status)));
  if (status === 'PENDING') return ADMISSIONS.map((admission) => pendingRun({ admission }));
  if (status !== 'PAUSED') return [pendingRun({ status }), ...begun];
  return PAUSE_REASONS.flatMap((reason) =>
    [pendingRun({ status }), ...begun].map((state) => ({
      ...state,
      pause: { reason, index: reason === 'APPROVAL' ? null : 0, text: null },
    })),
  );
}

describe('the transition table', () => {
  it.each(pairs)('allows for "$pair" exactly the statuses of the design', ({ status, event, pair }) => {
    const allowed = ALLOWED[pair] ?? [];
    expect(isExpectedEvent(status, event.type)).toBe(allowed.length > 0);
    for (const to of EXECUTION_STATUSES) {
      const runTransition = () => requireTransition(status, event.type, to);
      if (allowed.includes(to)) expect(runTransition).not.toThrow();
      else expect(runTransition).toThrow(`${status} -> ${to} on ${event.type}`);
    }
  });

  it('has no transition from a finished status', () => {
    const left = new Set(Object.keys(ALLOWED).map((pair) => pair.split(' ')[0] as ExecutionStatus));
    expect([...left].filter(isFinished)).toEqual([]);
    expect([...left]).toEqual(['PENDING', 'RUNNING', 'PAUSED', 'CANCELLING']);
  });
});

describe('an unexpected event', () => {
  it.each(pairs.filter(({ pair }) => !(pair in ALLOWED)))('changes nothing: $pair', ({ status, event }) => {
    for (const state of statesIn(status)) {
      const { state: after, effects } = decideNextState(state, event);
      expect(after).toBe(state);
      expect(effects).toEqual(isFinished(status) ? [{ type: 'finish' }] : []);
    }
  });
});

describe('an expected event', () => {
  it.each(pairs.filter(({ pair }) => pair in ALLOWED))(
    'leads to an allowed status for every state of the hosts: $pair',
    ({ status, event, pair }) => {
      for (const state of statesIn(status)) {
        const { state: after } = decideNextState(state, event);
        // `approved` and `rejected` answer only an approval, and nothing else answers one.
        const forApproval = event.type === 'approved' || event.type === 'rejected';
        const waitsForApproval = state.pause?.reason === 'APPROVAL';
        if (event.type === 'decided' ? waitsForApproval : forApproval && !waitsForApproval) expect(after).toBe(state);
        else expect(ALLOWED[pair]).toContain(after.status);
      }
    },
  );
});
