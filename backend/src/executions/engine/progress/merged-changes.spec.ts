import { describe, expect, it } from '@jest/globals';
import { mergeChangesByHost } from './progress-rows.js';
import type { HostChange } from './step-progress.js';

const serverId = 'a';
const EPOCH = 3;
const nothing = { stdout: 0, stderr: 0 };
const outcome = { status: 'FAILED', exitCode: 7, signal: null, code: 'exit_code', message: 'It failed.' } as const;
const CHANGES: Record<HostChange['kind'] | 'reconnecting', HostChange> = {
  connecting: { serverId, kind: 'connecting' },
  reconnecting: { serverId, kind: 'connecting', why: { code: 'reconnecting', text: 'It is looked for.' } },
  dispatch: { serverId, kind: 'dispatch', dispatchId: 'd', attempt: 1, journaled: true, before: nothing },
  started: { serverId, kind: 'started', first: true, journaled: true, before: null },
  withdrawn: { serverId, kind: 'withdrawn', attempt: 0 },
  retrying: { serverId, kind: 'retrying', attempt: 1, delayMs: 10, outcome },
  finished: { serverId, kind: 'finished', outcome, totals: null },
};
const pairs = Object.keys(CHANGES).flatMap((first) =>
  Object.keys(CHANGES).map((then): [string, string] => [first, then]),
);
const rowOf = (...names: string[]) =>
  mergeChangesByHost(
    names.map((name) => CHANGES[name as keyof typeof CHANGES]),
    EPOCH,
  )[0] as Record<string, unknown>;
/** Columns that every change writes, even when its row omits them. */
const WRITTEN = ['retry_ms', 'attempt_status', 'exit_code', 'signal', 'code', 'message'];

describe('changes of a host that are stored together', () => {
  it.each(pairs)('%s, then %s: have the same result as one after the other', (first, then) => {
    const last = rowOf(then);
    const both = rowOf(first, then);
    for (const column of WRITTEN) expect([column, both[column] ?? null]).toEqual([column, last[column] ?? null]);
    const named = Object.entries(last).filter(([, value]) => value !== undefined);
    expect(both).toMatchObject(Object.fromEntries(named));
  });

  it('are a row for each host', () => {
    const changes: HostChange[] = ['a', 'b', 'a'].map((each) => ({ serverId: each, kind: 'connecting' }));
    expect(mergeChangesByHost(changes, EPOCH)).toMatchObject([{ server_id: 'a' }, { server_id: 'b' }]);
  });
});
