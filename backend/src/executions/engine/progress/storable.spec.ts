import { describe, expect, it } from '@jest/globals';
import type { HostOutcome } from './host-outcome.js';
import { toStorableChange } from './progress-writer.js';

const failed = (message: string, signal: string | null = null): HostOutcome => ({
  status: 'FAILED',
  exitCode: null,
  signal,
  code: 'killed',
  message,
});

describe('texts that a host influences', () => {
  it('are stored without characters that the database refuses, and otherwise unchanged', () => {
    const change = { serverId: 'a', kind: 'finished' as const, totals: null };
    expect(
      toStorableChange({ ...change, outcome: failed('one\0two 😀', 'TE\0RM'), diff: `+${'😀'.slice(0, 1)}\n` }),
    ).toEqual({
      ...change,
      outcome: failed('one\ufffdtwo 😀', 'TE\ufffdRM'),
      diff: '+\ufffd\n',
    });
  });

  it('are cleaned between two attempts too', () => {
    const change = { serverId: 'a', kind: 'retrying' as const, attempt: 1, delayMs: 5 };
    expect(toStorableChange({ ...change, outcome: failed('\0') })).toEqual({ ...change, outcome: failed('\ufffd') });
  });

  it('are cleaned in no other kind of change', () => {
    const change = { serverId: 'a', kind: 'connecting' as const };
    expect(toStorableChange(change)).toBe(change);
  });
});
