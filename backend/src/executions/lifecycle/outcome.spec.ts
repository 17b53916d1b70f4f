import { describe, expect, it } from '@jest/globals';
import { step } from '../../../test/support/run-states.js';
import { computeFinalHostStatus, computeRunOutcome, computeDryRunOutcome, describeStatusCounts } from './outcome.js';
import type { HostStatus, StepStatus } from './statuses.js';

const steps = (...statuses: StepStatus[]) =>
  statuses.map((status, index) => step(`s${index + 1}`, ['a', 'b'], { status }));
const hosts = (a: HostStatus, b: HostStatus = 'PENDING') => ({ a, b });

describe('the outcome of a run', () => {
  it.each([
    ['every host took part to the end', hosts('PENDING'), steps('SUCCEEDED'), 'SUCCEEDED', null],
    ['steps were skipped', hosts('PENDING'), steps('SUCCEEDED', 'SKIPPED'), 'SUCCEEDED', null],
    [
      'failures were put up with',
      hosts('FAILED'),
      steps('PARTIALLY_SUCCEEDED'),
      'PARTIALLY_SUCCEEDED',
      'some_hosts_failed',
    ],
    [
      'a person continued despite failures',
      hosts('PENDING'),
      steps('PARTIALLY_SUCCEEDED'),
      'PARTIALLY_SUCCEEDED',
      'some_hosts_failed',
    ],
    ['a step failed', hosts('FAILED'), steps('FAILED', 'SKIPPED'), 'FAILED', 'hosts_failed'],
    ['no host is left', hosts('FAILED', 'UNREACHABLE'), steps('PARTIALLY_SUCCEEDED'), 'FAILED', 'hosts_failed'],
    ['a host was lost', hosts('UNKNOWN'), steps('FAILED'), 'INTERRUPTED', 'hosts_lost'],
    [
      'a host was lost and that was put up with',
      hosts('UNKNOWN'),
      steps('PARTIALLY_SUCCEEDED'),
      'INTERRUPTED',
      'hosts_lost',
    ],
  ] as const)('when %s', (_, standings, ended, status, code) => {
    const outcome = computeRunOutcome(standings, ended);
    expect([outcome.status, outcome.reason?.code ?? null]).toEqual([status, code]);
  });

  it('counts failed and unreachable hosts separately, and names the step in which the first failed', () => {
    expect(computeRunOutcome(hosts('FAILED', 'UNREACHABLE'), steps('SUCCEEDED', 'FAILED')).reason?.text).toBe(
      '1 failed, 1 unreachable of 2 hosts in step "s2".',
    );
    expect(describeStatusCounts(['TIMED_OUT', 'HOST_KEY_CHANGED', 'FAILED', 'FAILED'], 9)).toBe(
      '2 failed, 1 timed out, 1 with a changed host key of 9 hosts',
    );
    expect(describeStatusCounts([], 1)).toBe('none of 1 host');
  });
});

describe('the outcome of a dry run', () => {
  it('is SUCCEEDED when nothing is blocked, and otherwise names the first blocked step', () => {
    expect(computeDryRunOutcome(hosts('PENDING'), steps('SUCCEEDED', 'SKIPPED'))).toEqual({
      status: 'SUCCEEDED',
      reason: null,
    });
    expect(computeDryRunOutcome(hosts('UNREACHABLE'), steps('SUCCEEDED', 'FAILED', 'FAILED'))).toEqual({
      status: 'FAILED',
      reason: { code: 'blocked', text: 'A real run would be blocked: 1 unreachable of 2 hosts, first in step "s2".' },
    });
  });
});

describe('the final status of a host', () => {
  it('is its own when it dropped out', () => {
    expect(computeFinalHostStatus('a', 'FAILED', steps('FAILED', 'SUCCEEDED'))).toBe('FAILED');
  });

  it('is what was observed where a person let it continue despite a failure', () => {
    expect(computeFinalHostStatus('a', 'PENDING', steps('PARTIALLY_SUCCEEDED', 'SUCCEEDED'), 'TIMED_OUT')).toBe(
      'TIMED_OUT',
    );
    expect(computeFinalHostStatus('a', 'UNREACHABLE', steps('PARTIALLY_SUCCEEDED', 'FAILED'), 'FAILED')).toBe(
      'UNREACHABLE',
    );
  });

  it('is success only when a step ran there', () => {
    expect(computeFinalHostStatus('a', 'PENDING', steps('SUCCEEDED', 'SKIPPED'))).toBe('SUCCEEDED');
    expect(computeFinalHostStatus('a', 'PENDING', steps('SKIPPED', 'CANCELLED'))).toBe('SKIPPED');
    expect(computeFinalHostStatus('c', 'PENDING', steps('SUCCEEDED'))).toBe('SKIPPED');
  });
});
