import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { Environment, EnvironmentDetail, OpenFailure } from '../../../api/types';
import { EnvironmentOverviewTab } from './EnvironmentOverviewTab';

const { answer, refuse } = fakeServer();

const QUIET: EnvironmentDetail = {
  ...{ id: 'e1', name: 'staging', access: 'open', protected: false, runWindowState: null, freezes: [] },
  hosts: { reachable: 0, unreachable: 0, unknown: 0 },
  ...{ results: [], moreResults: false, openFailures: 0, failures: [], openFailuresIncomplete: false },
  ...{ running: [], runningCount: 0, schedules: [], trend: [] },
};
const FAILURE = {
  run: {
    ...{ id: 'x1', planName: 'Deploy shop', environmentName: 'staging', status: 'FAILED', statusReason: null },
    ...{ createdAt: '2026-11-28T10:00:00Z', finishedAt: '2026-11-28T10:01:00Z' },
  },
  cause: { text: 'disk full', reason: null },
  ...{ stepName: 'Unpack', failedHosts: 1, hostNames: ['web-1'], failedRuns: 1, lastSuccessAt: null },
} as unknown as OpenFailure;

function show(overview: Partial<EnvironmentDetail>) {
  const tenant = { id: 't1', name: 'acme' };
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role: 'operator', email: 'ana@example.test', tenant });
  answer('get', '/api/overview/environments/e1', { ...QUIET, ...overview });
  const onRerun = vi.fn();
  const environment = { id: 'e1', requiredApprovals: 2 } as Environment;
  return { ...renderComponent(<EnvironmentOverviewTab environment={environment} onRerun={onRerun} />), onRerun };
}
const region = (name: string) => screen.findByRole('region', { name });

describe('the overview of an environment', () => {
  it('says what is missing in an empty environment', async () => {
    show({});
    for (const text of [/No runs yet/, 'No enabled servers in this environment.', 'No scheduled runs.'])
      expect(await screen.findByText(text)).toBeTruthy();
    expect(screen.getByText('Runs can start at any time, without approval. No plan is frozen.')).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Open failures' })).toBeNull();
  });

  it('says why runs cannot start now', async () => {
    const freeze = { collectionId: 'c1', collectionName: 'Releases', reason: 'Sale', until: '2126-12-24T08:00:00Z' };
    const runWindowState = { open: false, closesAt: null, opensAt: null, blackout: 'Holidays' };
    show({ protected: true, runWindowState, freezes: [{ ...freeze, planCount: 3 }] });
    const rules = within(await region('Rules for starts'));
    for (const text of [
      /Outside the run windows \(Holidays\)/,
      /Releases: 3 plans frozen until .*Sale\./,
      /waits for 2 approvals/,
    ])
      expect(rules.getByText(text)).toBeTruthy();
  });

  it('lists the latest result of each plan, and says that more ran', async () => {
    const result = { planId: 'p1', planName: 'Deploy shop', planRevision: 7, status: 'FAILED' as const };
    const times = { startedAt: '2026-11-28T10:00:00Z', finishedAt: '2026-11-28T10:01:00Z' };
    show({ results: [{ ...result, ...times, executionId: 'x1' }], moreResults: true });
    const row = within((await screen.findByRole('rowheader', { name: 'Deploy shop' })).closest('tr') as HTMLElement);
    for (const text of ['Failed', 'rev 7', '1 min']) expect(row.getByText(text)).toBeTruthy();
    expect(screen.getByText('Only the 50 plans that ran last are listed.')).toBeTruthy();
  });

  it('links hosts to the list of servers in their state', async () => {
    show({ hosts: { reachable: 3, unreachable: 0, unknown: 2 } });
    const hosts = within(await region('Hosts'));
    expect(hosts.queryByText('Unreachable')).toBeNull();
    const link = hosts.getByRole('link', { name: 'Not checked, or host key not accepted' });
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toContain(
      'unchecked,host_key_unknown,host_key_accepted',
    );
  });

  it('reruns an open failure in place', async () => {
    const { user, onRerun } = show({ failures: [FAILURE], openFailures: 1 });
    // Enabled as soon as the role of the member is known.
    const button = () => screen.getByRole('button', { name: 'Rerun: Deploy shop in staging' });
    await waitFor(() => expect(button().getAttribute('aria-disabled')).toBeNull());
    await user.click(button());
    expect(onRerun).toHaveBeenCalledWith('x1');
  });

  it('offers to load again after an error', async () => {
    refuse('get', '/api/overview/environments/e1', { status: 404, code: 'not_found' });
    renderComponent(<EnvironmentOverviewTab environment={{ id: 'e1' } as Environment} onRerun={vi.fn()} />);
    expect(await screen.findByRole('button', { name: /again/i })).toBeTruthy();
  });
});
