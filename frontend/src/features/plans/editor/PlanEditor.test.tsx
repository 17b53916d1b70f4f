import { useQuery } from '@tanstack/react-query';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import { planQuery } from '../../../api/queries/plans/plans';
import type { Plan, PlanStep, Role } from '../../../api/types';
import { PlanEditor } from './PlanEditor';

const { answer, refuse, sent } = fakeServer();
const PLAN = '/api/plans/p1';
const STEP: PlanStep = {
  ...{ key: 'stop', name: 'Stop', type: 'command', command: 'systemctl stop shop', targets: '', runOnce: false },
  ...{ batch: null, when: null, onlyIfChanged: [], forEach: null, confirm: false, timeoutSeconds: 300 },
  ...{ retries: null, maxFailPercent: null, onFailure: null, always: false },
};
const DEPLOY = {
  ...{ id: 'p1', name: 'Deploy', version: 4, revision: 2, description: '', environmentId: null, collectionId: null },
  ...{ targets: '', steps: [STEP], variables: [], onFailure: 'stop', strategy: 'barrier', parallelSafe: false },
  ...{ timeoutSeconds: null, maxFailPercent: 0, locks: [], allowedModes: [], origin: null, frozenBy: null },
  ...{ updatedAt: '2026-11-20T08:00:00Z' },
} as unknown as Plan;

/** Editor of the page of a plan, with the plan that the server has now. */
function CurrentPlan() {
  const plan = useQuery(planQuery('p1')).data;
  return plan ? <PlanEditor plan={plan} /> : null;
}

async function show({ role = 'operator', plan }: { role?: Role; plan?: Partial<Plan> } = {}) {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role, email: 'ana@example.test' });
  answer('get', '/api/environments', { items: [{ id: 'e1', name: 'staging' }] });
  answer('get', '/api/environments/:id/variables', { items: [] });
  answer('get', '/api/collections', { items: [] });
  answer('get', '/api/inventory/servers', { items: [], nextCursor: null });
  answer('get', PLAN, { ...DEPLOY, ...plan });
  answer('patch', PLAN, { ...DEPLOY, version: 5, revision: 3, name: 'Deploy shop' });
  const { user } = renderComponent(<CurrentPlan />);
  const name = (await screen.findAllByRole('textbox', { name: 'Name' }))[0] as HTMLInputElement;
  await expect.poll(() => name.readOnly).toBe(role === 'viewer' || plan?.origin !== undefined);
  return { user, name };
}

const press = (name: string) => screen.getByRole('button', { name });
const errors = [
  { path: '/name', code: 'duplicate', message: 'The name is in use.' },
  { path: '/steps/0/command', code: 'unknown_name', message: 'Unknown variable RELEASE.' },
];

describe('the editor of a plan', () => {
  it('saves the edited version with a message, and is then unchanged', async () => {
    const { user, name } = await show();
    expect(press('Save')).toHaveProperty('disabled', true);
    await user.type(name, ' shop');
    await user.type(screen.getByRole('textbox', { name: /^Change message/ }), 'Rename');
    await user.click(press('Save'));
    expect(await screen.findByText('Saved as revision 3.')).toBeTruthy();
    expect(sent).toMatchObject([{ path: PLAN, version: 4, body: { name: 'Deploy shop', message: 'Rename' } }]);
    expect(screen.getByText('Revision 3 saved')).toBeTruthy();
  });

  it('shows errors on the fields of plan and step, and keeps the edits', async () => {
    const { user, name } = await show();
    refuse('patch', PLAN, { status: 422, code: 'validation_failed', errors });
    await user.type(name, '2');
    await user.click(press('Save'));
    const message = await screen.findByText('The name is in use.');
    expect(name.getAttribute('aria-describedby')).toContain(message.id);
    const step = screen.getByRole('region', { name: 'Step 1' });
    expect(within(step).getByText('Unknown variable RELEASE.')).toBeTruthy();
    expect(screen.getByText('Not saved: 2 fields are invalid.')).toBeTruthy();
    expect(name.value).toBe('Deploy2');
  });

  it('discards the edits', async () => {
    const { user, name } = await show();
    await user.type(name, '2');
    await user.click(press('Discard changes'));
    expect(name.value).toBe('Deploy');
    expect(screen.getByText('Revision 2 saved')).toBeTruthy();
  });

  it('adds, removes and restores a step', async () => {
    const { user } = await show();
    await user.click(press('Add step'));
    expect(screen.getAllByRole('region', { name: /^Step/ })).toHaveLength(2);
    await user.click(within(screen.getByRole('region', { name: 'Step 1' })).getByRole('button', { name: /Remove/ }));
    expect(screen.getAllByRole('region', { name: /^Step/ })).toHaveLength(1);
    await user.click(within(await screen.findByRole('alert')).getByRole('button', { name: 'Undo' }));
    const keys = screen.getAllByRole<HTMLInputElement>('textbox', { name: 'Key' }).map(({ value }) => value);
    expect(keys[0]).toBe('stop');
  });

  it('marks a variable that no step uses', async () => {
    const { user } = await show();
    await user.click(press('Add variable'));
    const variable = within(screen.getByRole('region', { name: 'Variable 1' }));
    await user.type(variable.getByRole('textbox', { name: 'Name' }), 'RELEASE');
    expect(variable.getByText('Not used')).toBeTruthy();
  });

  it('says that someone else has saved the plan before the edits are saved', async () => {
    const { user, name } = await show();
    answer('get', PLAN, { ...DEPLOY, version: 9, revision: 7, description: 'New' });
    await user.type(name, '2');
    expect(await screen.findByText('Someone else saved revision 7')).toBeTruthy();
    expect(sent).toEqual([]);
  });

  describe('after someone else saved the plan', () => {
    async function showConflict() {
      const form = await show();
      await form.user.type(form.name, '2');
      refuse('patch', PLAN, { status: 412, code: 'version_mismatch' });
      answer('get', PLAN, { ...DEPLOY, version: 9, revision: 7, description: 'New' });
      await form.user.click(press('Save'));
      expect(await screen.findByText('Not saved: someone else saved revision 7')).toBeTruthy();
      return form;
    }

    it('can save the edits over that revision', async () => {
      const { user } = await showConflict();
      answer('patch', PLAN, { ...DEPLOY, version: 10, revision: 8, name: 'Deploy2' });
      await user.click(press('Save mine as revision 8'));
      expect(await screen.findByText('Saved as revision 8.')).toBeTruthy();
      expect(sent.at(-1)).toMatchObject({ version: 9, body: { name: 'Deploy2' } });
    });

    it('can merge the edits into that revision, and saves the result on request', async () => {
      const { user } = await showConflict();
      await user.click(press('Merge my edits into revision 7'));
      expect(screen.queryByText('Not saved: someone else saved revision 7')).toBeNull();
      answer('patch', PLAN, { ...DEPLOY, version: 10, revision: 8, name: 'Deploy2', description: 'New' });
      await user.click(press('Save'));
      expect(await screen.findByText('Saved as revision 8.')).toBeTruthy();
      expect(sent.at(-1)).toMatchObject({ version: 9, body: { name: 'Deploy2', description: 'New' } });
    });

    it('can load that revision instead', async () => {
      const { user, name } = await showConflict();
      await user.click(press('Load revision 7 and discard my edits'));
      expect(name.value).toBe('Deploy');
      expect(screen.getByText('Revision 7 saved')).toBeTruthy();
    });
  });

  it('is read-only for viewers', async () => {
    await show({ role: 'viewer' });
    expect(screen.queryByRole('button', { name: 'Add step' })).toBeNull();
    expect(press('Save').getAttribute('aria-disabled')).toBe('true');
  });

  it('is read-only for plans of a git source, without a save bar', async () => {
    await show({ plan: { origin: { gitSourceId: 'g1', path: 'deploy.yml' } as unknown as Plan['origin'] } });
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Add variable' })).toBeNull();
  });
});
