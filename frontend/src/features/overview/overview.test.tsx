import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { fakeServer } from '../../../test/fake-server';
import { renderComponent } from '../../../test/render';
import type { EnvironmentOverview, OpenFailure, Overview, ResultMatrix } from '../../api/types';
import { changeText } from '../../ui/format/change-text';
import { hostsText } from './OpenFailures';
import { OverviewPage } from './OverviewPage';
import { durationUnit, fillDays, sumTrend } from './trend-figures';

const { answer } = fakeServer();

const CALM: Overview = {
  ...{ running: [], runningCount: 0, openFailures: [], openFailureCount: 0, openFailuresIncomplete: false },
  ...{ failedInLastDay: 0, environmentCount: 1, admins: [] },
};
const RUN = {
  ...{ id: 'x1', planId: 'p1', planName: 'Deploy shop', planRevision: 3, environmentId: 'e1' },
  ...{ environmentName: 'staging', status: 'FAILED', finished: true, hostCount: 40, statusReason: null, queue: null },
  ...{ createdAt: '2026-11-28T10:00:00Z', startedAt: '2026-11-28T10:00:00Z', finishedAt: '2026-11-28T10:01:00Z' },
  ...{ updatedAt: '2026-11-28T10:00:00Z', startedBy: { id: 'm1', name: 'Ana' }, execution_mode: 'auto', note: null },
};
const FAILURE = {
  run: RUN,
  cause: { text: 'disk full', reason: null },
  ...{ stepName: 'Unpack', failedHosts: 9, hostNames: ['web-1', 'web-2', 'web-3'] },
  ...{ failedRuns: 2, lastSuccessAt: null },
} as unknown as OpenFailure;
const CARD: EnvironmentOverview = {
  ...{ id: 'e1', name: 'staging', access: 'open', protected: true, openFailures: 0, results: [], schedules: [] },
  freezes: [
    { collectionId: 'c1', collectionName: 'Releases', reason: 'Sale', until: '2126-12-24T08:00:00Z', planCount: 3 },
  ],
  runWindowState: { open: false, closesAt: null, opensAt: null, blackout: 'Holidays' },
  hosts: { reachable: 3, unreachable: 1, unknown: 0 },
  trend: [{ day: '2026-11-28', runs: 3, succeeded: 2 }],
};
const MATRIX: ResultMatrix = {
  environments: [{ id: 'e1', name: 'staging' }],
  moreEnvironments: 488,
  plans: [{ id: 'p1', name: 'Deploy shop', results: [null] }],
  more: true,
};

function show(overview: Partial<Overview>, { role = 'operator', waiting = [] as object[] } = {}) {
  const tenant = { id: 't1', name: 'acme' };
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role, email: 'ana@example.test', tenant });
  answer('get', '/api/overview', { ...CALM, ...overview });
  answer('get', '/api/overview/environments', { items: [CARD], total: 500 });
  answer('get', '/api/overview/matrix', MATRIX);
  answer('get', '/api/executions', { items: waiting, nextCursor: null });
  answer('get', '/api/protection-changes', { items: [], nextCursor: null });
  for (const path of ['ssh-keys', 'environments', 'inventory/servers', 'plans'])
    answer('get', `/api/${path}`, { items: [], nextCursor: null });
  const DecisionDialog = vi.fn(({ runId }: { runId: string }) => <p>Decide {runId}</p>);
  const RerunDialog = vi.fn(({ runId }: { runId: string }) => <p>Rerun of {runId}</p>);
  localStorage.setItem('runward.first-steps-hidden.m1', 'true');
  return renderComponent(<OverviewPage DecisionDialog={DecisionDialog} RerunDialog={RerunDialog} />);
}
const section = (name: string) => screen.findByRole('region', { name });

describe('the overview', () => {
  it('says in one sentence that all is calm', async () => {
    show({});
    expect(await screen.findByText('No open failures and no active runs. Nothing waits for you.')).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Open failures' })).toBeNull();
  });

  it('shows the cause and the hosts of an open failure, and reruns it in place', async () => {
    const { user } = show({ openFailures: [FAILURE], openFailureCount: 31, openFailuresIncomplete: true });
    const failures = await section('Open failures');
    for (const text of ['disk full', /web-1, web-2, web-3 and 6 more in Unpack/, /failed 2 times/, '31+'])
      expect(within(failures).getByText(text)).toBeTruthy();
    await user.click(within(failures).getByRole('button', { name: 'Rerun: Deploy shop in staging' }));
    expect(await screen.findByText('Rerun of x1')).toBeTruthy();
  });

  it('opens the decision of a waiting run in place', async () => {
    const run = { ...RUN, id: 'x2', status: 'PAUSED', finished: false, pauseReason: 'APPROVAL', awaitsYou: true };
    const { user } = show({}, { waiting: [run] });
    await user.click(await screen.findByRole('button', { name: 'Review: Deploy shop in staging' }));
    expect(await screen.findByText('Decide x2')).toBeTruthy();
  });

  it('shows the state of an environment, and how many are not shown', async () => {
    show({});
    const card = await section('Environment staging');
    for (const text of [
      'Protected',
      'Frozen',
      '3 of 4 reachable',
      '1 unreachable',
      '66 % of 3 runs succeeded in 30 days',
      /^Releases: 3 plans frozen until 24 Dec 2126/,
    ])
      expect(within(card).getByText(text)).toBeTruthy();
    expect(screen.getByText(/499 more environments/)).toBeTruthy();
    expect(await screen.findByText(/488 more environments without a column/)).toBeTruthy();
  });

  it('names who can give access to a member who sees no environment', async () => {
    show({ environmentCount: 0, admins: [{ id: 'm2', name: 'Petra' }] }, { role: 'viewer' });
    expect(await screen.findByText(/An admin can give it to you: Petra/)).toBeTruthy();
  });
});

describe('texts and figures', () => {
  it('name few hosts and count the others', () => {
    expect(hostsText({ hostNames: [], failedHosts: 0 })).toBe('');
    expect(hostsText({ hostNames: ['a'], failedHosts: 1 })).toBe('a');
    expect(hostsText({ hostNames: ['a', 'b', 'c'], failedHosts: 1_203 })).toBe('a, b, c and 1,200 more');
  });

  it('tell who did what, also for actions without an own verb', () => {
    expect(changeText('ssh_key.rotate')).toBe('rotated SSH key');
    expect(changeText('plan.new_verb')).toBe('new verb: plan');
  });

  it('never round a failure up to 100 %', () => {
    expect(sumTrend([{ runs: 1_000, succeeded: 999 }]).percent).toBe(99);
    expect(sumTrend([]).percent).toBeNull();
  });

  it('fill days without runs', () => {
    const known = { day: '2026-11-27', runs: 1, succeeded: 1, medianMs: 5, p95Ms: 7 };
    const days = fillDays([known], 3, Date.parse('2026-11-28T23:00:00Z'));
    expect(days.map(({ day }) => day)).toEqual(['2026-11-26', '2026-11-27', '2026-11-28']);
    expect([days[0]?.runs, days[1]]).toEqual([0, known]);
  });

  it('choose a unit with short numbers', () => {
    expect(durationUnit([{ p95Ms: null }]).label).toBe('s');
    expect(durationUnit([{ p95Ms: 119_000 }, { p95Ms: 121_000 }]).label).toBe('min');
    expect(durationUnit([{ p95Ms: 9 * 3_600_000 }]).label).toBe('h');
  });
});
