import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { ActiveFreeze, Environment, Execution, Plan, PlanVariable, Role, RunAuthor } from '../../../api/types';
import { StartForm } from './StartForm';

const { answer, refuse, sent } = fakeServer();
const STARTS = '/api/executions';
const TAG: PlanVariable = { name: 'TAG', type: 'string', required: false };
const FREEZE: ActiveFreeze = {
  collectionId: 'c1',
  collectionName: 'Shop',
  reason: 'Release',
  until: '2999-01-01T00:00:00Z',
};
const AUTHOR: RunAuthor = {
  ...{ kind: 'plan', name: 'Deploy', revision: 3, detail: null, statedName: null },
  ...{ user: { id: 'm2', name: 'Bo' }, outside: true },
};

interface Scene {
  role?: Role;
  environment?: Partial<Environment>;
  plan?: Partial<Plan>;
  again?: Partial<Execution>;
  lastSuccess?: Partial<Execution>;
}

/** Shows the form of a plan in the environment staging. With `again`, the start follows that dry run. */
function show({ role = 'operator', environment, plan, again, lastSuccess }: Scene = {}) {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role, email: 'ana@example.test' });
  const staging = {
    ...{ id: 'e1', name: 'staging', access: 'open', currentUserGrant: null, protected: false, allowedModes: [] },
    runWindowState: null,
  };
  answer('get', '/api/environments', { items: [{ ...staging, ...environment }], nextCursor: null });
  answer('get', '/api/environments/e1', { ...staging, ...environment });
  answer('get', '/api/plans/p1/variables', { items: [] });
  answer('post', '/api/plans/p1/targets', {
    ...{ count: 1, servers: [{ id: 's1', name: 'web-1', hostKeyFingerprint: 'x', lastCheckState: 'reachable' }] },
    ...{ sameMachineCount: 0, sameMachines: [], stepCounts: { one: 1 } },
  });
  answer('get', STARTS, { items: lastSuccess ? [lastSuccess] : [], nextCursor: null });
  if (lastSuccess) answer('get', `${STARTS}/${lastSuccess.id}`, lastSuccess);
  answer('post', STARTS, { id: 'x9' }, 201);
  const whole = {
    ...{ id: 'p1', name: 'Deploy', environmentId: 'e1', revision: 4, allowedModes: [], variables: [TAG] },
    ...{ frozenBy: null, steps: [{ key: 'one', name: 'Migrate', type: 'command', confirm: true }] },
  };
  const run = again && { execution_mode: 'dry_run', environmentId: 'e1', targets: '', labels: {}, ...again };
  return renderComponent(
    <StartForm
      plan={{ ...whole, ...plan } as Plan}
      again={(run as Execution | undefined) ?? null}
      exact={again !== undefined}
      onClose={() => undefined}
    />,
  );
}

const starts = () => sent.filter(({ path }) => path === STARTS).map(({ body }) => body);
const submit = (name: string) => screen.findByRole('button', { name });
const isOffered = async (name: string) => (await submit(name)).getAttribute('aria-disabled') !== 'true';
const expectOffered = (name: string) => expect.poll(() => isOffered(name));

describe('the start form', () => {
  it('sends what the user entered, and opens the run', async () => {
    const { user, path } = show();
    await expectOffered('Start run').toBe(true);
    await user.type(screen.getByLabelText('TAG'), 'v2');
    await user.type(screen.getByRole('textbox', { name: 'Note' }), 'Fix');
    await user.click(await submit('Start run'));
    await expect.poll(() => path()).toBe('/executions/x9');
    expect(starts()).toEqual([{ planId: 'p1', execution_mode: 'auto', variables: { TAG: 'v2' }, note: 'Fix' }]);
  });

  it('previews hosts, steps and the changes since the last success before it starts anything', async () => {
    const run = {
      id: 'x1',
      execution_mode: 'auto',
      planRevision: 4,
      variables: { TAG: 'v1' },
      hosts: [],
      hostCount: 0,
    };
    const { user } = show({
      lastSuccess: { ...run, hostsNextCursor: null, finishedAt: '2026-01-01T00:00:00Z' } as never,
    });
    const preview = await screen.findByRole('region', { name: 'Preview' });
    expect(await within(preview).findByText('Runs on 1 host')).toBeTruthy();
    expect(within(preview).getByText('Migrate').textContent).toContain('waits for a decision');
    expect(await within(preview).findByText('web-1 added')).toBeTruthy();
    await user.type(screen.getByLabelText('TAG'), 'v2');
    expect(await within(preview).findByText('TAG: v1 → v2')).toBeTruthy();
    expect(starts()).toEqual([]);
  });

  it('says that a plan has not succeeded there yet', async () => {
    show();
    expect(await screen.findByText('No success of this plan here yet.')).toBeTruthy();
  });

  it('names the missing grant of a restricted environment, and who can give it', async () => {
    const people = { rule: 'operators with the grant "run" in "staging", and admins', names: ['Petra'], more: 0 };
    answer('get', '/api/environments/e1/permissions', { run: people, approve: people, administer: people });
    const { user } = show({ environment: { access: 'restricted', currentUserGrant: 'view' } });
    await screen.findByText('No success of this plan here yet.');
    await expectOffered('Start run').toBe(false);
    await user.hover(await submit('Start run'));
    expect(await screen.findByText('Needs the grant “run” in staging; ask an admin: Petra')).toBeTruthy();
  });

  it('shows the error of a variable on its field, and keeps what was entered', async () => {
    const { user, path } = show();
    const errors = [{ path: '/variables/TAG', code: 'pattern', message: 'Must match v.*' }];
    refuse('post', STARTS, { status: 422, code: 'validation_failed', errors });
    await expectOffered('Start run').toBe(true);
    await user.type(screen.getByLabelText('TAG'), '2');
    await user.click(await submit('Start run'));
    expect(await screen.findByText('Must match v.*')).toBeTruthy();
    expect(screen.getByLabelText('TAG')).toHaveProperty('value', '2');
    expect(screen.getByRole('alert').textContent).toContain('one field is invalid');
    expect(path()).toBe('/');
  });

  it('offers no start to viewers', async () => {
    const { user } = show({ role: 'viewer' });
    await expectOffered('Start run').toBe(false);
    await user.click(await submit('Start run'));
    expect(starts()).toEqual([]);
  });

  it('starts in a protected environment only after its name was typed', async () => {
    const { user } = show({ environment: { protected: true, requiredApprovals: 1, approvalTtlSeconds: 3600 } });
    const name = await screen.findByLabelText('Type staging to confirm');
    await expectOffered('Start run').toBe(false);
    await user.type(name, 'staging');
    await expectOffered('Start run').toBe(true);
  });

  it('asks for no name before a dry run, and offers no later start', async () => {
    const { user } = show({ environment: { protected: true, requiredApprovals: 1, approvalTtlSeconds: 3600 } });
    await user.click(await screen.findByLabelText('Dry run'));
    expect(screen.queryByLabelText('Type staging to confirm')).toBeNull();
    expect(screen.queryByLabelText('Start later')).toBeNull();
    await expectOffered('Start dry run').toBe(true);
  });

  it('offers only the modes that the plan allows', async () => {
    show({ plan: { allowedModes: ['interactive'] } });
    expect(await screen.findByLabelText('Interactive')).toHaveProperty('checked', true);
    expect(screen.getByLabelText('Auto')).toHaveProperty('disabled', true);
  });

  it('waits in the queue when a refused start conflicts with another run', async () => {
    const { user, path } = show();
    const conflict = { planName: 'Backup', waits: false, unknownResults: false, sharedHosts: ['db-1'], sharedKeys: [] };
    refuse('post', STARTS, { status: 409, code: 'run_overlap', conflicts: [conflict] });
    await expectOffered('Start run').toBe(true);
    await user.click(await submit('Start run'));
    const queue = await within(await screen.findByRole('alert')).findByRole('button', { name: 'Wait in the queue' });
    answer('post', STARTS, { id: 'x9' }, 201);
    await user.click(queue);
    await expect.poll(() => path()).toBe('/executions/x9');
    expect(starts().at(-1)).toMatchObject({ onOverlap: 'queue' });
  });

  it('starts with changes of members without rights after the user accepted them', async () => {
    const { user } = show();
    refuse('post', STARTS, { status: 409, code: 'outside_authors', authors: [AUTHOR], acceptAuthors: 'a1' });
    await expectOffered('Start run').toBe(true);
    await user.click(await submit('Start run'));
    answer('post', STARTS, { id: 'x9' }, 201);
    await user.click(await screen.findByRole('button', { name: 'Accept these changes and start' }));
    await expect.poll(() => starts().at(-1)).toMatchObject({ acceptAuthors: 'a1' });
  });

  it('lets only admins start despite a freeze, with a reason', async () => {
    const { user } = show({ role: 'admin', plan: { frozenBy: FREEZE } });
    await expectOffered('Start run').toBe(false);
    await user.click(await screen.findByLabelText('Start despite the freeze'));
    await expectOffered('Start run').toBe(false);
    await user.type(screen.getByRole('textbox', { name: 'Reason' }), 'Outage');
    await user.click(await submit('Start run'));
    await expect.poll(() => starts().at(-1)).toMatchObject({ freezeOverride: 'Outage' });
  });

  it('explains a freeze to operators without an override', async () => {
    show({ plan: { frozenBy: FREEZE } });
    expect(await screen.findByText(/unless an admin overrides the freeze/)).toBeTruthy();
    expect(screen.queryByLabelText('Start despite the freeze')).toBeNull();
    expect(await isOffered('Start run')).toBe(false);
  });

  it('starts a later run although the run window is closed now', async () => {
    const runWindowState = { open: false, closesAt: null, opensAt: '2999-01-01T00:00:00Z', blackout: null };
    const { user } = show({ environment: { runWindowState } });
    await screen.findByText(/^Outside the run windows/);
    await expectOffered('Start run').toBe(false);
    await user.click(screen.getByLabelText('Start later'));
    await expectOffered('Start later').toBe(true);
    expect(screen.queryByText(/^Outside the run windows/)).toBeNull();
  });

  it('after a dry run starts exactly its content, and reports what has changed since', async () => {
    const { user } = show({ again: { digest: 'd1', variables: { TAG: 'v1' } } });
    expect(await screen.findByLabelText('TAG')).toHaveProperty('readOnly', true);
    expect(screen.getByLabelText('Dry run')).toHaveProperty('disabled', true);
    refuse('post', STARTS, { status: 409, code: 'digest_changed', differences: [] });
    await expectOffered('Start run').toBe(true);
    await user.click(await submit('Start run'));
    expect(await screen.findByText('The content has changed since the dry run')).toBeTruthy();
    expect(starts().at(-1)).toMatchObject({ expectedDigest: 'd1', variables: { TAG: 'v1' } });
  });
});
