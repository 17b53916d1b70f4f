import { describe, expect, it } from 'vitest';
import type { ExecutionHost, HostStatus } from '../../../api/types';
import { reportHosts } from './report-hosts';

const hostsOf = (count: number, statusOf: (index: number) => HostStatus) =>
  Array.from({ length: count }, (_, index) => ({ name: `web-${index}`, status: statusOf(index) }) as ExecutionHost);

describe('the hosts of a report', () => {
  it('are all hosts of a small run, failed ones first', () => {
    const { counts, listed, omitted } = reportHosts(hostsOf(4, (index) => (index === 2 ? 'FAILED' : 'SUCCEEDED')));
    expect(listed.map(({ name }) => name)).toEqual(['web-2', 'web-0', 'web-1', 'web-3']);
    expect([counts, omitted]).toEqual([
      [
        ['SUCCEEDED', 3],
        ['FAILED', 1],
      ],
      0,
    ]);
  });

  it('are the failed ones of a large run, and at most 500', () => {
    const few = reportHosts(hostsOf(10_000, (index) => (index % 1_000 === 0 ? 'UNREACHABLE' : 'SUCCEEDED')));
    expect([few.listed.length, few.omitted, few.omittedFailed]).toEqual([10, 9_990, 0]);
    const many = reportHosts(hostsOf(10_000, (index) => (index < 900 ? 'FAILED' : 'SUCCEEDED')));
    expect([many.listed.length, many.omitted, many.omittedFailed]).toEqual([500, 9_500, 400]);
  });
});
