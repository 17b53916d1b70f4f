import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { Server, ServerHistory as History } from '../../../api/types';
import { ServerHistory } from './ServerHistory';
import { stateOfDays, stateSegments } from './state-days';

const { answer } = fakeServer();

const DAYS = ['2026-11-26', '2026-11-27', '2026-11-28'];
const NOW = Date.parse('2026-11-28T12:00:00Z');
const server = { id: 's1', state: 'reachable', stateSince: '2026-11-27T08:00:00Z' } as Server;
const change = (at: string, before: string, after: string) => ({ at, name: 'state', before, after });

describe('the state of a day', () => {
  it('is unknown before the state began', () => {
    expect(stateOfDays(stateSegments(server, [], NOW), DAYS)).toEqual([null, 'reachable', 'reachable']);
    expect(stateOfDays(stateSegments({ ...server, stateSince: null }, [], NOW), DAYS)).toEqual([null, null, null]);
  });

  it('is the worst of the day', () => {
    const changes = [
      change('2026-11-28T08:00:00Z', 'unreachable', 'reachable'),
      change('2026-11-27T08:00:00Z', 'reachable', 'unreachable'),
    ];
    expect(stateOfDays(stateSegments(server, changes, NOW), DAYS)).toEqual([null, 'unreachable', 'unreachable']);
    expect(stateOfDays(stateSegments(server, changes.slice(0, 1), NOW), DAYS)).toEqual([null, null, 'unreachable']);
  });
});

describe('the history of a server', () => {
  const show = (history: Partial<History>) => {
    const days = DAYS.map((day) => ({ day, succeeded: 0, failed: 0, other: 0 }));
    answer('get', '/api/overview/servers/s1', { days, results: [], moreResults: false, changes: [], ...history });
    return renderComponent(<ServerHistory server={server} />);
  };

  it('says what is missing', async () => {
    show({});
    expect(await screen.findByText('No runs on this server yet.')).toBeTruthy();
    expect(screen.getByText(/No changes recorded yet/)).toBeTruthy();
    expect(screen.getByText(/0 runs succeeded here and 0 failed/)).toBeTruthy();
  });

  it('shows results on this server and changes from old to new', async () => {
    const run = {
      executionId: 'x1',
      planId: 'p1',
      planName: 'Deploy shop',
      planRevision: 3,
      status: 'FAILED' as const,
    };
    const times = { startedAt: '2026-11-28T10:00:00Z', finishedAt: null };
    show({
      results: [{ ...run, ...times, environmentId: 'e1', environmentName: 'live', hostStatus: 'SUCCEEDED' }],
      changes: [
        { at: '2026-11-28T08:00:00Z', name: 'kernelVersion', before: '6.1.0-27', after: '6.1.0-28' },
        change('2026-11-28T08:00:00Z', 'unreachable', 'reachable'),
      ],
    });
    const last = within(await screen.findByRole('list', { name: 'Latest run of each plan' }));
    expect(last.getByRole('img', { name: 'Succeeded' })).toBeTruthy();
    expect(last.getByRole('link', { name: 'Deploy shop' }).getAttribute('href')).toBe('/executions/x1');
    expect(screen.getByText('Kernel version: 6.1.0-27 → 6.1.0-28')).toBeTruthy();
    expect(screen.getByText('State: Unreachable → Reachable')).toBeTruthy();
  });
});
