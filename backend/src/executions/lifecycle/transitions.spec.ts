import { describe, expect, it } from '@jest/globals';
import { pendingRun, runningRun } from '../../../test/support/run-states.js';
import { decide } from './decide.js';
import type { RunEvent } from './run-event.js';
import { EXECUTION_STATUSES, type ExecutionStatus, isFinished } from './statuses.js';
import { demandTransition, isExpected } from './transitions.js';

const EVENTS: RunEvent[] = [
  { type: 'claimed' },
  { type: 'step_finished' },
  { type: 'cancel_requested', by: 'Ada', reason: null },
  { type: 'commands_stopped' },
  { type: 'deadline_passed' },
  { type: 'engine_failed' },
];

/** The whole table, written down a second time: status, event, and where they may lead. */
const ALLOWED: Record<string, ExecutionStatus[]> = {
  'PENDING claimed': ['RUNNING', 'SUCCEEDED'],
  'PENDING cancel_requested': ['CANCELLED'],
  'PENDING engine_failed': ['FAILED'],
  'RUNNING claimed': ['RUNNING', 'SUCCEEDED', 'FAILED', 'INTERRUPTED'],
  'RUNNING step_finished': ['RUNNING', 'SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'INTERRUPTED'],
  'RUNNING cancel_requested': ['CANCELLING'],
  'RUNNING deadline_passed': ['TIMED_OUT'],
  'RUNNING engine_failed': ['FAILED', 'INTERRUPTED'],
  'CANCELLING claimed': ['CANCELLED'],
  'CANCELLING step_finished': ['CANCELLED'],
  'CANCELLING commands_stopped': ['CANCELLED'],
  'CANCELLING deadline_passed': ['CANCELLED'],
  'CANCELLING engine_failed': ['CANCELLED'],
  'CANCELLING cancel_requested': ['CANCELLING'],
};

const pairs = EXECUTION_STATUSES.flatMap((status) =>
  EVENTS.map((event) => ({ status, event, pair: `${status} ${event.type}` })),
);

describe('the table of transitions', () => {
  it.each(pairs)('lets "$pair" lead exactly where the design says', ({ status, event, pair }) => {
    const allowed = ALLOWED[pair] ?? [];
    expect(isExpected(status, event.type)).toBe(allowed.length > 0);
    for (const to of EXECUTION_STATUSES) {
      const demand = () => demandTransition(status, event.type, to);
      if (allowed.includes(to)) expect(demand).not.toThrow();
      else expect(demand).toThrow(`${status} -> ${to} on ${event.type}`);
    }
  });

  it('knows no way out of a finished status, nor yet out of a pause', () => {
    const left = new Set(Object.keys(ALLOWED).map((pair) => pair.split(' ')[0] as ExecutionStatus));
    expect([...left].filter((status) => isFinished(status) || status === 'PAUSED')).toEqual([]);
  });
});

describe('an event that the status does not expect', () => {
  it.each(pairs.filter(({ pair }) => !(pair in ALLOWED)))('changes nothing: $pair', ({ status, event }) => {
    for (const state of [pendingRun({ status }), runningRun({ a: 'RUNNING*', b: 'PENDING' }, status)]) {
      const { state: after, effects } = decide(state, event);
      expect(after).toBe(state);
      expect(effects).toEqual(isFinished(status) ? [{ type: 'finish' }] : []);
    }
  });
});

describe('an event that the status expects', () => {
  it.each(pairs.filter(({ pair }) => pair in ALLOWED))(
    'leads to an allowed status whatever the hosts show: $pair',
    ({ status, event, pair }) => {
      const shown = ['PENDING', 'CONNECTING*', 'RUNNING*', 'SUCCEEDED*', 'FAILED*', 'UNKNOWN*', 'UNREACHABLE'] as const;
      const states =
        status === 'PENDING' ? [pendingRun()] : shown.flatMap((a) => shown.map((b) => runningRun({ a, b }, status)));
      for (const state of states) expect(ALLOWED[pair]).toContain(decide(state, event).state.status);
    },
  );
});
