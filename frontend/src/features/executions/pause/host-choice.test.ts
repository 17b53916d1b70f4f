import { describe, expect, it } from 'vitest';
import type { HostStatus } from '../../../api/types';
import { BLANK_CELL, type Cell } from '../run/run-cells.reducer';
import { decisionOf, eligibleHosts, hostsOfStep, preselectedHosts, type StepHost } from './host-choice';

const host = (serverId: string, status: HostStatus): StepHost => ({ serverId, name: serverId, status, message: null });
const hosts = [host('bad', 'FAILED'), host('lost', 'UNKNOWN'), host('ok', 'SUCCEEDED'), host('new', 'PENDING')];
const ids = (found: readonly StepHost[]) => found.map(({ serverId }) => serverId);

describe('hosts of a paused step', () => {
  it('are those with a result in it, failed ones first', () => {
    const late: Cell = { ...BLANK_CELL, status: 'TIMED_OUT', reason: { code: 'step_timed_out', text: 'Too slow' } };
    const cells = new Map([
      ['a', new Map([['build', { ...BLANK_CELL, status: 'SUCCEEDED' as const }]])],
      ['b', new Map([['build', late]])],
      ['c', new Map([['test', { ...BLANK_CELL, status: 'FAILED' as const }]])],
    ]);
    const all = ['a', 'b', 'c'].map((id) => ({ serverId: id, name: `web-${id}` }));
    expect(hostsOfStep('build', all, cells)).toEqual([
      { serverId: 'b', name: 'web-b', status: 'TIMED_OUT', message: 'Too slow' },
      { serverId: 'a', name: 'web-a', status: 'SUCCEEDED', message: null },
    ]);
  });
});

describe('a choice of hosts', () => {
  it('offers failed hosts for a retry, the rest for exclusion, and all for retrying the step', () => {
    expect(ids(eligibleHosts('retry_failed', hosts))).toEqual(['bad', 'lost']);
    expect(ids(eligibleHosts('exclude_hosts', hosts))).toEqual(['ok', 'new']);
    expect(ids(eligibleHosts('retry', hosts))).toEqual(['bad', 'lost', 'ok', 'new']);
    expect(eligibleHosts('skip', hosts)).toEqual([]);
  });

  it('does not select hosts whose command may still run, unless the whole step is run again', () => {
    expect(preselectedHosts('retry_failed', hosts)).toEqual(['bad']);
    expect(preselectedHosts('retry', hosts)).toEqual(['bad', 'lost', 'ok', 'new']);
    expect(preselectedHosts('exclude_hosts', hosts)).toEqual([]);
  });
});

describe('the request for a decision', () => {
  it('names no hosts when they are the usual ones, in whatever order', () => {
    expect(decisionOf('build', 'retry', ['new', 'ok', 'lost', 'bad'], hosts, ' ')).toEqual({
      stepKey: 'build',
      action: 'retry',
    });
    expect(decisionOf('build', 'skip', [], hosts, '')).toEqual({ stepKey: 'build', action: 'skip' });
  });

  it('names the hosts that a person chose, one of an unknown result too', () => {
    expect(decisionOf('build', 'retry_failed', ['bad', 'lost'], hosts, '')).toHaveProperty('serverIds', [
      'bad',
      'lost',
    ]);
    expect(decisionOf('build', 'retry_failed', ['lost'], hosts, '')).toHaveProperty('serverIds', ['lost']);
    expect(decisionOf('build', 'exclude_hosts', ['ok'], hosts, '')).toHaveProperty('serverIds', ['ok']);
  });

  it('carries a comment without the spaces around it', () => {
    expect(decisionOf('build', 'skip', [], hosts, ' fixed by hand\n')).toHaveProperty('comment', 'fixed by hand');
  });
});
