import { describe, expect, it } from 'vitest';
import { hasFailed, isExcluded } from './host-outcome';

describe('a host', () => {
  it('has failed when its result is not known', () => {
    expect(hasFailed({ status: 'UNKNOWN' })).toBe(true);
    expect(hasFailed({ status: 'CANCELLED' })).toBe(true);
    expect(hasFailed({ status: 'RUNNING' })).toBe(false);
  });

  it('is excluded from later steps when it was skipped, although it has not failed', () => {
    expect(hasFailed({ status: 'SKIPPED' })).toBe(false);
    expect(isExcluded({ status: 'SKIPPED' })).toBe(true);
    expect(isExcluded({ status: 'SUCCEEDED' })).toBe(false);
  });
});
