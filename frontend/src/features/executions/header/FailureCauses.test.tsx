import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { Execution, FailureCause } from '../../../api/types';
import { FailureCauses } from './FailureCauses';

const { answer, sent } = fakeServer();
const steps = ['Fetch', 'Migrate'].map((name, index) => ({
  key: `s${index + 1}`,
  name,
  path: [],
  counts: { FAILED: 1 },
}));

const causeOf = (text: string, servers: string[], more: Partial<FailureCause> = {}): FailureCause => ({
  ...{ key: `cause ${text}`, stepKey: 's2', status: 'FAILED', exitCode: 3, reason: null, text },
  firstHost: { serverId: servers[0] ?? '', serverName: `web-${servers[0]}` },
  serverIds: servers,
  ...more,
});

function show(
  items: FailureCause[],
  { finished = true, lastLines = ['working', 'refused'], moreCauses = 0, moreFailures = 0 } = {},
) {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role: 'operator', email: 'ana@example.test' });
  answer('get', '/api/environments', { items: [{ id: 'e1', name: 'staging', access: 'open', runWindowState: null }] });
  answer('get', '/api/plans/p1', { id: 'p1', frozenBy: null });
  answer('get', '/api/executions/x1/failure-causes', { items, moreCauses, moreFailures });
  const preview = { steps: [], repeats: [], gaps: [], missing: [], hostCount: 2, digest: 'd1', inheritedResults: 0 };
  answer('post', '/api/executions/x1/rerun/preview', preview);
  answer('post', '/api/executions/x1/rerun', { id: 'x2' }, 201);
  const failure = { serverName: 'web-a', lastLines } as NonNullable<Execution['summary']['firstFailure']>;
  const run = {
    ...{ id: 'x1', planId: 'p1', environmentId: 'e1', planRevision: 3, execution_mode: 'auto' },
    ...{ finished, hostCount: 600, steps, unknownHosts: [], summary: { firstFailure: failure } },
  };
  return renderComponent(<FailureCauses run={run as unknown as Execution} failure={failure} />);
}

async function clickWhenReady({ click }: ReturnType<typeof show>['user'], name: string): Promise<void> {
  const isReady = async () => {
    const button = await screen.findByRole<HTMLButtonElement>('button', { name });
    return button.getAttribute('aria-disabled') !== 'true' && !button.disabled;
  };
  await expect.poll(isReady).toBe(true);
  await click(screen.getByRole('button', { name }));
}

describe('the causes of a failed run', () => {
  it('are listed with step, exit code and number of hosts', async () => {
    show([causeOf('refused', ['a', 'b']), causeOf('disk full', ['c'], { exitCode: 4 })]);
    const causes = await screen.findAllByRole('listitem');
    expect(causes.map(({ textContent }) => textContent)).toEqual([
      'refusedFailed · exit code 3 · Migrate · 2 hostsRerun these 2',
      'disk fullFailed · exit code 4 · Migrate · web-cRerun this host',
    ]);
    expect(screen.getByText('Failed on 3 of 600 hosts in Migrate')).toBeTruthy();
    expect(screen.queryByText('working', { exact: false })).toBeNull();
  });

  it('name no step in the title when several steps failed', async () => {
    show([causeOf('refused', ['a', 'b']), causeOf('not found', ['b'], { stepKey: 's1' })]);
    expect(await screen.findByText('Failed on 2 of 600 hosts')).toBeTruthy();
  });

  it('show the last lines of output of a single cause', async () => {
    show([causeOf('refused', ['a'])]);
    await screen.findByRole('listitem');
    expect(screen.getByRole('group', { name: 'Last lines of output of web-a' }).textContent).toBe('working\nrefused');
  });

  it('link to the hosts and to the first output', async () => {
    show([causeOf('refused', ['a', 'b'])]);
    const link = await screen.findByRole('link', { name: 'refused' });
    const search = new URL((link as HTMLAnchorElement).href).searchParams;
    expect(Object.fromEntries(search)).toEqual({ cause: 'cause refused', host: 'web-a', step: 's2' });
  });

  it('are rerun on their hosts only', async () => {
    const { user } = show([causeOf('refused', ['a', 'b']), causeOf('disk full', ['c'])]);
    await clickWhenReady(user, 'Rerun these 2');
    expect(await screen.findByText('Rerun on 2 hosts')).toBeTruthy();
    await clickWhenReady(user, 'Rerun');
    const reruns = () => sent.filter(({ path }) => path === '/api/executions/x1/rerun').map(({ body }) => body);
    await expect.poll(reruns).toEqual([{ hosts: 'failed', snapshot: 'same', serverIds: ['a', 'b'] }]);
  });

  it('cannot be rerun while the run continues', async () => {
    show([causeOf('refused', ['a'])], { finished: false });
    await screen.findByRole('listitem');
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('beyond five are shown on request, with the number of those that are not loaded', async () => {
    const many = Array.from({ length: 8 }, (_, index) => causeOf(`message ${index}`, [String(index)]));
    const { user } = show(many, { moreCauses: 2, moreFailures: 7 });
    expect(await screen.findAllByRole('listitem')).toHaveLength(5);
    await user.click(screen.getByRole('button', { name: 'Show 3 more causes' }));
    expect(screen.getAllByRole('listitem')).toHaveLength(8);
    expect(screen.getByText(/And 2 more causes on 7 hosts/)).toBeTruthy();
  });
});
