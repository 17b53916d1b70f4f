import { describe, expect, it } from 'vitest';
import { barsText, hostBars, toAxis, usualShare } from './timeline-bars';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 28) + seconds * 1000).toISOString();
const axis = toAxis(at(0), at(10), Date.parse(at(99)));
const result = {
  startedAt: at(1),
  commandStartedAt: at(2),
  finishedAt: at(6),
  attempts: 1,
  status: 'SUCCEEDED' as const,
};
const shapeOf = (more: Partial<Parameters<typeof hostBars>[0]>, over = axis) =>
  hostBars({ ...result, ...more }, over).map(({ kind, from, to }) => `${kind} ${from}-${to}`);

describe('the bars of a host', () => {
  it('are waiting, connecting and running on the axis of the step', () => {
    expect(shapeOf({})).toEqual(['waiting 0-0.1', 'connecting 0.1-0.2', 'running 0.2-0.6']);
  });

  it('have earlier attempts in place of the connection', () => {
    expect(shapeOf({ attempts: 3 })).toEqual(['waiting 0-0.1', 'retrying 0.1-0.2', 'running 0.2-0.6']);
    const retrying = { attempts: 1, status: 'PENDING' as const, commandStartedAt: null, finishedAt: null };
    expect(shapeOf(retrying)).toEqual(['waiting 0-0.1', 'retrying 0.1-1']);
  });

  it('end at the axis while the host runs or waits', () => {
    expect(shapeOf({ finishedAt: null, status: 'RUNNING' }).at(-1)).toBe('running 0.2-1');
    expect(shapeOf({ startedAt: null, commandStartedAt: null, finishedAt: null, status: 'PENDING' })).toEqual([
      'waiting 0-1',
    ]);
  });

  it('are a failed connection, or a step without a command', () => {
    expect(shapeOf({ commandStartedAt: null, status: 'UNREACHABLE' }).at(-1)).toBe('connecting 0.1-0.6');
    expect(shapeOf({ commandStartedAt: null }).at(-1)).toBe('whole 0.1-0.6');
  });

  it('do not split times that were stored together', () => {
    expect(shapeOf({ commandStartedAt: at(5.999) })).toEqual(['waiting 0-0.1', 'whole 0.1-0.6']);
  });

  it('are never negative or beyond the axis after clocks have jumped', () => {
    expect(shapeOf({ finishedAt: at(-50) })).toEqual(['waiting 0-0.1']);
    expect(shapeOf({ startedAt: at(-5), finishedAt: at(400) })).toEqual(['connecting 0-0.2', 'running 0.2-1']);
    expect(shapeOf({ startedAt: at(50), commandStartedAt: at(60), finishedAt: at(99) })).toEqual(['waiting 0-1']);
    expect(shapeOf({}, toAxis(at(10), at(2), 0))).toEqual([]);
    expect(shapeOf({}, toAxis(at(10), null, Date.parse(at(4))))).toEqual([]);
  });

  it('are described in words', () => {
    expect(barsText(hostBars({ ...result, attempts: 2 }, axis), 2)).toBe(
      'Waiting 1.0 s, earlier attempts 1.0 s, running 4.0 s, 2 attempts',
    );
    expect(barsText([])).toBe('No time recorded');
  });
});

describe('the mark of the usual duration', () => {
  it('is a duration after the beginning, within the axis', () => {
    expect(usualShare(at(1), 4_000, axis)).toBe(0.5);
    expect(usualShare(at(1), 40_000, axis)).toBeNull();
    expect(usualShare(null, 4_000, axis)).toBeNull();
    expect(usualShare(at(1), null, axis)).toBeNull();
  });
});
