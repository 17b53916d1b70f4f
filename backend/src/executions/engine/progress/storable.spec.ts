import { describe, expect, it } from '@jest/globals';
import type { HostOutcome } from './host-outcome.js';
import { storable } from './storable.js';

const failed = (message: string, signal: string | null = null): HostOutcome => ({
  status: 'FAILED',
  exitCode: null,
  signal,
  code: 'killed',
  message,
});

describe('what a host had a part in', () => {
  it('is stored without what the database refuses, whole characters as they are', () => {
    const change = { serverId: 'a', kind: 'finished' as const, totals: null };
    expect(storable({ ...change, outcome: failed('one\0two 😀', 'TE\0RM'), diff: `+${'😀'.slice(0, 1)}\n` })).toEqual({
      ...change,
      outcome: failed('one\ufffdtwo 😀', 'TE\ufffdRM'),
      diff: '+\ufffd\n',
    });
  });

  it('is so between two attempts too', () => {
    const change = { serverId: 'a', kind: 'retrying' as const, attempt: 1, delayMs: 5 };
    expect(storable({ ...change, outcome: failed('\0') })).toEqual({ ...change, outcome: failed('\ufffd') });
  });

  it('leaves other changes alone', () => {
    const change = { serverId: 'a', kind: 'connecting' as const };
    expect(storable(change)).toBe(change);
  });
});
