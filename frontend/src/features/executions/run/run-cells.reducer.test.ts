import { describe, expect, it } from 'vitest';
import type { HostStatus } from '../../../api/types';
import { type Cell, cellAt, cellsReducer, type CellsState, NO_CELLS, type RunEvent } from './run-cells.reducer';

const host = { serverId: 's1', stepKey: 'build' };
const buildOn = ({ cells }: CellsState, serverId = 's1') => cellAt(cells, serverId, 'build');
const event = (type: string, data: Record<string, unknown> = {}): RunEvent => ({ type, data: { ...host, ...data } });
const after = (...events: RunEvent[]) => cellsReducer(NO_CELLS, { type: 'events', events });
const then = (state: CellsState, ...events: RunEvent[]) => cellsReducer(state, { type: 'events', events });
const result = (status: HostStatus, attempts: number, more: Partial<Cell> = {}): Cell => ({
  ...{ status, attempts, exitCode: null, reason: null, changed: null, resolution: null, verdict: null },
  ...more,
});
const read = (state: CellsState, cell: Cell) =>
  cellsReducer(state, {
    type: 'grid',
    grid: { serverIds: ['s0', 's1'], stepKeys: ['fetch', 'build'], cells: [cell], results: [[], [-1, 0]] } as never,
  });

const started = event('host.started', { status: 'RUNNING' });
const failed = event('host.finished', {
  status: 'FAILED',
  exitCode: 3,
  reason: { code: 'exit_code', text: 'Exit code 3' },
});
const succeeded = event('host.finished', { status: 'SUCCEEDED', exitCode: 0, changed: true });

describe('cells of a run', () => {
  it('follow the events of their host and step', () => {
    expect(buildOn(after(event('host.started', { status: 'CONNECTING' })))?.status).toBe('CONNECTING');
    const state = after(started, succeeded, {
      type: 'host.started',
      data: { ...host, serverId: 's2', status: 'RUNNING' },
    });
    expect(buildOn(state)).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, changed: true, attempts: 1 });
    expect(buildOn(state, 's2')?.status).toBe('RUNNING');
    expect(state.cells.size).toBe(2);
  });

  it('never go back when events are repeated', () => {
    const state = after(started, failed);
    expect(buildOn(then(state, event('host.started', { status: 'CONNECTING' }), started))).toMatchObject({
      status: 'FAILED',
      exitCode: 3,
    });
  });

  it('start again at a retry and count the attempts', () => {
    const state = after(started, failed, event('host.retrying', { attempt: 1 }));
    expect(buildOn(state)).toMatchObject({ status: 'PENDING', attempts: 2, exitCode: null, reason: null });
    expect(buildOn(then(state, started, succeeded))).toMatchObject({ status: 'SUCCEEDED', attempts: 2 });
  });

  it('show a lost connection, unless the host has ended', () => {
    const lost = event('host.reconnecting', { reason: { code: 'reconnecting', text: 'Connection lost' } });
    const state = after(started, lost);
    expect(buildOn(state)).toMatchObject({ status: 'CONNECTING', reason: { code: 'reconnecting' } });
    expect(buildOn(then(state, started))).toMatchObject({ status: 'RUNNING', reason: null });
    expect(buildOn(after(started, failed, lost))?.status).toBe('FAILED');
  });

  it('adopt the resolution of an unknown result', () => {
    const state = after(started, event('host.finished', { status: 'UNKNOWN' }));
    const resolved = then(state, event('host.resolved', { resolution: 'marked_failed' }));
    expect(buildOn(resolved)).toMatchObject({ status: 'UNKNOWN', resolution: 'marked_failed' });
    expect(after(event('host.resolved', { resolution: 'skipped' })).cells.size).toBe(0);
  });

  it('are the same object when no event changes one', () => {
    const state = after(started);
    const next = then(state, { type: 'execution.status_changed', data: {} }, { type: 'x', data: { serverId: 1 } });
    expect(next.cells).toBe(state.cells);
  });
});

describe('hosts that a person has run again', () => {
  const decision = (data: Record<string, unknown>): RunEvent => ({
    type: 'decision.made',
    data: { stepKey: 'build', ...data },
  });
  const statuses = (state: CellsState) => [...state.cells.values()].map((cells) => cells.get('build')?.status);
  const of = (serverId: string, status: HostStatus): RunEvent => ({
    type: 'host.finished',
    data: { serverId, stepKey: 'build', status },
  });
  const mixed = after(of('ok', 'SUCCEEDED'), of('bad', 'FAILED'), of('lost', 'UNKNOWN'), of('out', 'SKIPPED'));

  it('are the failed ones, without hosts where the command may still run', () => {
    expect(statuses(then(mixed, decision({ action: 'retry_failed' })))).toEqual([
      'SUCCEEDED',
      'PENDING',
      'UNKNOWN',
      'SKIPPED',
    ]);
  });

  it('are the named ones, though never one that succeeded when only failed ones are retried', () => {
    const named = decision({ action: 'retry_failed', serverIds: ['ok', 'lost'] });
    expect(statuses(then(mixed, named))).toEqual(['SUCCEEDED', 'FAILED', 'PENDING', 'SKIPPED']);
  });

  it('are all of them when the step is run again', () => {
    expect(statuses(then(mixed, decision({ action: 'retry' })))).toEqual(Array(4).fill('PENDING'));
    expect(buildOn(then(mixed, decision({ action: 'retry' })), 'ok')?.attempts).toBe(2);
  });

  it('are none of another step, and none for any other decision', () => {
    expect(then(mixed, decision({ action: 'retry', stepKey: 'test' })).cells).toBe(mixed.cells);
    expect(then(mixed, decision({ action: 'skip' })).cells).toBe(mixed.cells);
    expect(then(mixed, decision({ action: 'retry', stepKey: undefined })).cells).toBe(mixed.cells);
  });
});

describe('the cells of a host', () => {
  it('are the same object while only other hosts change', () => {
    const state = after(started);
    const next = then(state, { type: 'host.started', data: { ...host, serverId: 's2', status: 'RUNNING' } });
    expect(next.cells).not.toBe(state.cells);
    expect(next.cells.get('s1')).toBe(state.cells.get('s1'));
    expect(buildOn(then(state, succeeded))?.status).toBe('SUCCEEDED');
    expect(buildOn(state)?.status).toBe('RUNNING');
  });
});

describe('results that were read', () => {
  it('fill the cells, with the kind of a resolution', () => {
    const resolution = 'found_failed';
    const state = read(NO_CELLS, result('UNKNOWN', 1, { resolution, verdict: 'WOULD_RUN' }));
    expect(buildOn(state)).toMatchObject({ resolution, verdict: 'WOULD_RUN' });
    expect(state.cells.size).toBe(1);
  });

  it('do not overwrite later events of the stream', () => {
    const state = after(started, succeeded);
    expect(buildOn(read(state, result('RUNNING', 1)))?.status).toBe('SUCCEEDED');
    expect(buildOn(read(state, result('PENDING', 0)))?.status).toBe('SUCCEEDED');
  });

  it('of an earlier attempt do not replace a later one, those of a later one do', () => {
    const state = after(started, failed, event('host.retrying', { attempt: 1 }));
    expect(buildOn(read(state, result('FAILED', 1)))).toMatchObject({ status: 'PENDING', attempts: 2 });
    expect(buildOn(read(state, result('RUNNING', 3)))).toMatchObject({ status: 'RUNNING', attempts: 3 });
  });
});

describe('the version of the output', () => {
  const output: RunEvent = { type: 'output.appended', data: {} };

  it('grows once for a batch with new output, at the end, and after an interruption', () => {
    expect(after(output, output).outputVersion).toBe(1);
    expect(after({ type: 'execution.finished', data: {} }).outputVersion).toBe(1);
    expect(cellsReducer(after(output), { type: 'refresh' }).outputVersion).toBe(2);
  });

  it('stays while only cells change, and cells stay while only output comes', () => {
    expect(after(started, succeeded).outputVersion).toBe(0);
    const state = after(started);
    expect(then(state, output).cells).toBe(state.cells);
  });
});
