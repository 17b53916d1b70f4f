import { describe, expect, it } from 'vitest';
import type { Execution, ExecutionHost, HostStatus } from '../../../api/types';
import { countFailedHosts, initialRerun, toRerunRequest } from './rerun-form';

const run = { execution_mode: 'semi_assisted' } as Execution;

describe('a rerun', () => {
  it('asks for no more than its hosts and the frozen plan when nothing was changed', () => {
    expect(toRerunRequest(run, initialRerun(run, 'unfinished'))).toEqual({ hosts: 'unfinished', snapshot: 'same' });
  });

  it('names what was changed', () => {
    const form = {
      ...initialRerun(run, 'all'),
      fromStepKey: 'test',
      snapshot: 'current' as const,
      mode: 'auto' as const,
    };
    expect(toRerunRequest(run, { ...form, note: ' again ', acceptGaps: true })).toEqual({
      hosts: 'all',
      snapshot: 'current',
      fromStepKey: 'test',
      execution_mode: 'auto',
      note: 'again',
      acceptGaps: true,
    });
  });

  it('counts hosts of unknown result as failed, and those that were skipped not', () => {
    const hosts = (['FAILED', 'UNKNOWN', 'SKIPPED', 'SUCCEEDED', 'CANCELLED'] satisfies HostStatus[]).map(
      (status) => ({ status }) as ExecutionHost,
    );
    expect(countFailedHosts(hosts)).toBe(3);
  });
});
