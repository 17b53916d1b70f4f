import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { ActiveFreeze, Execution, RerunHosts, RerunPreview, Role } from '../../../api/types';
import { RerunDialog } from './RerunDialog';

const { answer, refuse, sent } = fakeServer();
const RERUN = '/api/executions/x1/rerun';
const FREEZE: ActiveFreeze = {
  collectionId: 'c1',
  collectionName: 'Shop',
  reason: 'Release',
  until: '2999-01-01T00:00:00Z',
};
const EMPTY: RerunPreview = {
  ...{ steps: [], repeats: [], gaps: [], missing: [], hostCount: 1, digest: 'd1', inheritedResults: 0 },
};

interface Scene {
  role?: Role;
  which?: RerunHosts;
  preview?: Partial<RerunPreview>;
  frozenBy?: ActiveFreeze | null;
}

function show({ role = 'operator', which = 'all', preview, frozenBy = null }: Scene = {}) {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role, email: 'ana@example.test' });
  answer('get', '/api/environments', { items: [{ id: 'e1', name: 'staging', runWindowState: null }] });
  answer('get', '/api/plans/p1', { id: 'p1', frozenBy });
  answer('post', `${RERUN}/preview`, { ...EMPTY, ...preview });
  answer('post', RERUN, { id: 'x2' }, 201);
  const steps = [
    { key: 'stop', name: 'Stop' },
    { key: 'start', name: 'Start' },
  ];
  const run = { id: 'x1', planId: 'p1', environmentId: 'e1', planRevision: 3, execution_mode: 'auto', steps };
  return renderComponent(<RerunDialog run={run as Execution} which={which} onClose={() => undefined} />);
}

const reruns = () => sent.filter(({ path }) => path === RERUN).map(({ body }) => body);
const button = () => screen.findByRole('button', { name: 'Rerun' });
const isReady = async () => {
  const rerun = await button();
  return rerun.getAttribute('aria-disabled') !== 'true' && !(rerun as HTMLButtonElement).disabled;
};
const ready = () => expect.poll(isReady);

describe('the rerun dialog', () => {
  it('sends the chosen step, content and note, and opens the new run', async () => {
    const { user, path } = show();
    await user.click(await screen.findByRole('combobox', { name: 'From step' }));
    await user.click(await screen.findByRole('option', { name: 'Start' }));
    await user.click(screen.getByLabelText('Current content'));
    await user.type(screen.getByLabelText('Note'), ' Again ');
    await ready().toBe(true);
    await user.click(await button());
    await expect.poll(path).toBe('/executions/x2');
    expect(reruns()).toEqual([{ hosts: 'all', snapshot: 'current', fromStepKey: 'start', note: 'Again' }]);
  });

  it('can begin unfinished steps at any step', async () => {
    const { user } = show({ which: 'unfinished' });
    await user.click(await screen.findByRole('combobox', { name: 'From step' }));
    const options = await screen.findAllByRole('option');
    expect(options.map(({ textContent }) => textContent)).toEqual([
      'First unfinished step of each host',
      'Stop',
      'Start',
    ]);
  });

  it('starts without missing results only after the user accepted it, and asks again for other content', async () => {
    const missing = [{ stepKey: 'start', needs: 'stop', count: 1, hosts: [{ serverId: 's1', name: 'db-1' }] }];
    const { user } = show({ preview: { missing } });
    const accept = await screen.findByLabelText('Start anyway');
    expect(await isReady()).toBe(false);
    await user.click(accept);
    await ready().toBe(true);
    await user.click(screen.getByLabelText('Current content'));
    await ready().toBe(false);
  });

  it('offers no start while the preview is refused, and shows why', async () => {
    show();
    refuse('post', `${RERUN}/preview`, { status: 409, code: 'not_rerunnable', detail: 'The plan was deleted.' });
    expect((await screen.findByRole('alert')).textContent).toContain('The plan was deleted.');
    expect(await isReady()).toBe(false);
  });

  it('keeps the note after a refusal', async () => {
    const { user, path } = show();
    refuse('post', RERUN, { status: 409, code: 'hosts_missing', detail: 'All hosts were deleted.' });
    await user.type(await screen.findByLabelText('Note'), 'Again');
    await ready().toBe(true);
    await user.click(await button());
    expect((await screen.findByRole('alert')).textContent).toContain('All hosts were deleted.');
    expect(screen.getByLabelText('Note')).toHaveProperty('value', 'Again');
    expect(path()).toBe('/');
  });

  it('can wait in the queue after a conflict', async () => {
    const { user, path } = show();
    refuse('post', RERUN, { status: 409, code: 'run_overlap', hiddenConflicts: 1 });
    await ready().toBe(true);
    await user.click(await button());
    const queue = await screen.findByRole('button', { name: 'Wait in the queue' });
    answer('post', RERUN, { id: 'x2' }, 201);
    await user.click(queue);
    await expect.poll(path).toBe('/executions/x2');
    expect(reruns().at(-1)).toMatchObject({ onOverlap: 'queue' });
  });

  it('is blocked by a freeze, except for a dry run', async () => {
    const { user } = show({ frozenBy: FREEZE });
    expect(await screen.findByText(/unless an admin overrides the freeze/)).toBeTruthy();
    await ready().toBe(false);
    await user.click(screen.getByRole('combobox', { name: 'Mode' }));
    await user.click(await screen.findByRole('option', { name: 'Dry run' }));
    await ready().toBe(true);
    await user.click(await button());
    await expect.poll(reruns).toEqual([{ hosts: 'all', snapshot: 'same', execution_mode: 'dry_run' }]);
  });

  it('sends the reason with which an admin overrides a freeze', async () => {
    const { user } = show({ role: 'admin', frozenBy: FREEZE });
    await user.click(await screen.findByLabelText('Start despite the freeze'));
    await user.type(await screen.findByRole('textbox', { name: 'Reason' }), 'Outage');
    await ready().toBe(true);
    await user.click(await button());
    await expect.poll(reruns).toEqual([{ hosts: 'all', snapshot: 'same', freezeOverride: 'Outage' }]);
  });

  it('offers no start to viewers', async () => {
    show({ role: 'viewer' });
    await screen.findByTestId('rerun-outlook');
    expect(await isReady()).toBe(false);
  });
});
