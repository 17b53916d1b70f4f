import { describe, expect, it } from 'vitest';
import type { ExecutionHost, ExecutionStep, HostStatus, StepStatus } from '../../../api/types';
import { BLANK_CELL, type Cell, type Cells } from '../run/run-cells.reducer';
import { countHosts, filterRows, matrixRows, sortRows } from './matrix-rows';

const host = (name: string, status: HostStatus = 'PENDING', targetedBy: string[] | null = null): ExecutionHost => ({
  serverId: name,
  name,
  address: `${name}.example`,
  status,
  targetedBy,
  lastStepKey: null,
  tags: {},
});
const step = (key: string, status: StepStatus = 'PENDING', more: Partial<ExecutionStep> = {}) =>
  ({ key, name: key, type: 'command', status, always: false, ...more }) as ExecutionStep;
const cells = (found: Record<string, HostStatus>): Cells => {
  const hosts = new Map<string, Map<string, Cell>>();
  for (const [at, status] of Object.entries(found)) {
    const [server = '', key = ''] = at.split('/');
    hosts.set(server, new Map(hosts.get(server)).set(key, { ...BLANK_CELL, status, attempts: 1 }));
  }
  return hosts;
};
const statuses = (...parameters: Parameters<typeof matrixRows>) =>
  matrixRows(...parameters).map(({ cells: row }) => row.map((cell) => cell?.status ?? null));

describe('rows of the matrix', () => {
  it('have the failed hosts first, then go by name and number', () => {
    const hosts = ['web-10', 'web-9', 'db-1', 'web-2'].map((name) => host(name));
    const rows = matrixRows(hosts, [step('a', 'RUNNING')], cells({ 'web-9/a': 'FAILED', 'web-2/a': 'RUNNING' }));
    expect(rows.map(({ name }) => name)).toEqual(['web-9', 'db-1', 'web-2', 'web-10']);
  });

  it('are sorted by name, or the slowest first, on request', () => {
    const durations = new Map([
      ['web-2', 900],
      ['web-10', 4_000],
    ]);
    const rows = matrixRows(
      ['web-10', 'web-2', 'web-3'].map((name) => host(name)),
      [step('a', 'RUNNING')],
      cells({ 'web-3/a': 'FAILED' }),
      durations,
    );
    const names = (sort: 'name' | 'slow' | undefined) => sortRows(rows, sort).map(({ name }) => name);
    expect(names(undefined)).toEqual(['web-3', 'web-2', 'web-10']);
    expect(names('name')).toEqual(['web-2', 'web-3', 'web-10']);
    expect(names('slow')).toEqual(['web-10', 'web-2', 'web-3']);
  });

  it('are the same objects while their host does not change', () => {
    const hosts = [host('a'), host('b')];
    const before = cells({ 'a/x': 'RUNNING', 'b/x': 'RUNNING' });
    const after = new Map(before).set('b', new Map([['x', { ...BLANK_CELL, status: 'SUCCEEDED' as const }]]));
    const [one, other] = [before, after].map((each) => matrixRows(hosts, [step('x', 'RUNNING')], each));
    expect(other?.[0]).toBe(one?.[0]);
    expect(other?.[1]?.cells[0]?.status).toBe('SUCCEEDED');
    expect(matrixRows(hosts, [step('x', 'RUNNING'), step('y')], after)[0]?.cells).toHaveLength(2);
  });

  it('take their tone from their worst cell', () => {
    const rows = matrixRows(
      [host('a'), host('b')],
      [step('x', 'RUNNING'), step('y')],
      cells({ 'a/x': 'UNKNOWN', 'b/x': 'SUCCEEDED' }),
    );
    expect(rows.map(({ name, tone }) => [name, tone])).toEqual([
      ['a', 'warn'],
      ['b', 'idle'],
    ]);
  });

  it('have no cell in steps that do not target the host, unless it has a result there', () => {
    const steps = [step('a'), step('b')];
    expect(statuses([host('x', 'PENDING', ['b'])], steps, new Map())).toEqual([[null, 'PENDING']]);
    expect(statuses([host('x', 'PENDING', ['b'])], steps, cells({ 'x/a': 'SUCCEEDED' }))).toEqual([
      ['SUCCEEDED', 'PENDING'],
    ]);
    expect(statuses([host('x', 'PENDING', [])], steps, new Map())).toEqual([[null, null]]);
  });

  it('have no cell in a gate, nor in a running step in which the host has no result', () => {
    const steps = [step('gate', 'PENDING', { type: 'gate' }), step('a', 'RUNNING'), step('b', 'SUCCEEDED')];
    expect(statuses([host('x')], steps, new Map())).toEqual([[null, null, null]]);
  });

  it('promise no further step to a host that has failed, but for steps that always run', () => {
    const steps = [step('a', 'SUCCEEDED'), step('b'), step('clean', 'PENDING', { always: true })];
    expect(statuses([host('x', 'FAILED')], steps, cells({ 'x/a': 'FAILED' }))).toEqual([['FAILED', null, 'PENDING']]);
  });

  it('show skipped and cancelled steps on each host', () => {
    expect(statuses([host('x')], [step('a', 'SKIPPED'), step('b', 'CANCELLED')], new Map())).toEqual([
      ['SKIPPED', 'CANCELLED'],
    ]);
  });
});

describe('the filter of the matrix', () => {
  const rows = matrixRows(
    ['web-1', 'web-2', 'db-1'].map((name) => host(name)),
    [step('a', 'RUNNING')],
    cells({ 'web-1/a': 'UNREACHABLE', 'web-2/a': 'RUNNING', 'db-1/a': 'SUCCEEDED' }),
  );
  const names = (...parameters: [string | undefined, Parameters<typeof filterRows>[2]]) =>
    filterRows(rows, ...parameters).map(({ name }) => name);

  it('finds hosts by a part of their name in any case, or of their address', () => {
    expect(names('WEB', undefined)).toEqual(['web-1', 'web-2']);
    expect(names('db-1.exa', undefined)).toEqual(['db-1']);
    expect(names('x-', undefined)).toEqual([]);
  });

  it('shows what failed, what is active or what is good', () => {
    expect(names(undefined, 'failed')).toEqual(['web-1']);
    expect(names(undefined, 'active')).toEqual(['web-2']);
    expect(names('', 'good')).toEqual(['db-1']);
    expect(names(undefined, undefined)).toHaveLength(3);
  });

  it('counts all hosts of the run although only the first ones are loaded', () => {
    const summary = { hostCounts: { FAILED: 5, UNKNOWN: 2, RUNNING: 30, PENDING: 1, SUCCEEDED: 900, SKIPPED: 62 } };
    const count = (run: object, show?: Parameters<typeof countHosts>[2]) =>
      countHosts({ hostCount: 1000, execution_mode: 'auto', summary, ...run } as never, rows, show);
    expect([count({}), count({}, 'failed'), count({}, 'active'), count({}, 'good')]).toEqual([1000, 7, 31, 900]);
    // The rows are exact: they are newer than the run, and a step that failed may not have failed the host.
    expect([count({ hostCount: 3 }), count({ hostCount: 3 }, 'failed')]).toEqual([3, 1]);
    expect(count({ execution_mode: 'dry_run' }, 'failed')).toBe(1);
  });
});
