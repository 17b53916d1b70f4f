import { describe, expect, it } from 'vitest';
import {
  checksText,
  groupsOf,
  isOver,
  MAX_REQUESTED_CHECKS,
  NO_CHECKS,
  addResults,
  addRefused,
  addRequested,
} from './many-checks';

const server = (id: string, environmentId = 'e1', enabled = true) => ({
  id,
  name: `web-${id}`,
  environmentId,
  enabled,
});
const AT = '2026-06-01T12:00:00.000Z';
const LATER_TIME = '2026-06-01T12:00:01.000Z';

describe('a check of many servers', () => {
  it('is requested by environment, so that a refusal affects only one', () => {
    const { groups, leftOut } = groupsOf([server('1'), server('2', 'e2'), server('3'), server('4', 'e1', false)]);
    expect(groups.map((group) => group.map(({ id }) => id))).toEqual([['1', '3'], ['2']]);
    expect(leftOut).toEqual([{ id: '4', name: 'web-4', reason: 'The server is disabled.' }]);
  });

  it('is asked for in parts that one request may have', () => {
    const { groups } = groupsOf(
      Array.from({ length: 2 * MAX_REQUESTED_CHECKS + 1 }, (_, index) => server(String(index))),
    );
    expect(groups.map(({ length }) => length)).toEqual([MAX_REQUESTED_CHECKS, MAX_REQUESTED_CHECKS, 1]);
    expect(groupsOf([]).groups).toEqual([]);
  });

  it('waits for what was found after it was asked for, and for nothing else', () => {
    const requested = addRequested(NO_CHECKS, [server('1'), server('2')], { requestedAt: AT, workers: 1 });
    const seen = (id: string, checkedAt: string | null) => ({ id, state: 'reachable' as const, checkedAt });
    expect(addResults(requested, [seen('1', AT), seen('2', null), seen('9', LATER_TIME)])).toBe(requested);
    const some = addResults(requested, [seen('1', LATER_TIME), seen('1', LATER_TIME)]);
    expect([...some.waiting.keys()]).toEqual(['2']);
    expect(checksText(some)).toBe('1 of 2 servers checked: 1 Reachable.');
    const all = { ...addResults(some, [{ id: '2', state: 'unreachable', checkedAt: LATER_TIME }]), requested: true };
    expect([isOver(all), checksText(all)]).toEqual([true, '2 servers checked: 1 Reachable, 1 Unreachable.']);
  });

  it('is over at once when all are left out', () => {
    const refused = { ...addRefused(NO_CHECKS, [server('1')], 'No.'), requested: true };
    expect([isOver(refused), checksText(refused)]).toEqual([true, 'No servers to check.']);
    expect(checksText(NO_CHECKS)).toBe('Requesting checks…');
  });
});
