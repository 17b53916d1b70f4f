import { useQuery } from '@tanstack/react-query';
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import { environmentQuery } from '../../../api/queries/inventory/environments';
import type { Environment, Role } from '../../../api/types';
import { ProtectionTab } from './ProtectionTab';

const { answer, refuse, sent } = fakeServer();
const ENVIRONMENT = '/api/environments/e1';
const LIVE = {
  ...{ id: 'e1', name: 'live', version: 4, protected: true, requiredApprovals: 2, allowSelfApproval: false },
  ...{ approvalTtlSeconds: 7200, unknownAuthors: 'show', protectionDelaySeconds: 86_400, allowedModes: [] },
  ...{ hostJournal: true, checkIntervalSeconds: null, currentUserGrant: null, access: 'open' },
} as unknown as Environment;

/** Tab of the page of an environment, with the environment that the server has now. */
function CurrentProtection() {
  const environment = useQuery(environmentQuery('e1')).data;
  return environment ? <ProtectionTab environment={environment} /> : null;
}

async function show(role: Role = 'admin') {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role, email: 'ana@example.test' });
  answer('get', `${ENVIRONMENT}/protection-changes`, { items: [] });
  answer('get', `${ENVIRONMENT}/departed-servers`, { items: [], nextCursor: null });
  answer('get', '/api/environments', { items: [LIVE] });
  answer('get', ENVIRONMENT, LIVE);
  answer('patch', ENVIRONMENT, { ...LIVE, version: 5 });
  const { user } = renderComponent(<CurrentProtection />);
  const approvals = await screen.findByLabelText('Required approvals');
  await expect.poll(() => approvals.closest('fieldset')?.disabled).toBe(role !== 'admin');
  const save = () => user.click(screen.getByRole('button', { name: 'Save protection' }));
  const requireApprovals = async (count: string) => {
    await user.clear(approvals);
    await user.type(approvals, count);
  };
  return { user, approvals, save, requireApprovals };
}

describe('the protection of an environment', () => {
  it('saves a stronger protection immediately', async () => {
    const { save, requireApprovals } = await show();
    await requireApprovals('3');
    await save();
    expect(await screen.findByText('Protection saved.')).toBeTruthy();
    expect(sent).toMatchObject([{ path: ENVIRONMENT, version: 4, body: { requiredApprovals: 3, protected: true } }]);
  });

  it('saves the other settings and requests those that weaken the protection', async () => {
    const { user, save, requireApprovals } = await show();
    answer('post', `${ENVIRONMENT}/protection-changes`, {}, 201);
    await requireApprovals('1');
    await user.click(screen.getByRole('switch', { name: /^Keep a command journal/ }));
    await save();
    const dialog = within(await screen.findByRole('dialog'));
    expect(sent[0]?.body).toMatchObject({ hostJournal: false });
    expect(sent[0]?.body).not.toHaveProperty('requiredApprovals');
    expect(dialog.getByRole('button', { name: 'Request change' })).toHaveProperty('disabled', true);
    await user.type(dialog.getByLabelText(/^Reason/), 'Small team');
    await user.click(dialog.getByRole('button', { name: 'Request change' }));
    expect(await screen.findByText('Change requested.')).toBeTruthy();
    expect(sent[1]?.body).toEqual({ reason: 'Small team', settings: { requiredApprovals: 1 } });
  });

  it('weakens the protection in an emergency only after the name was typed', async () => {
    const { user, save, requireApprovals } = await show();
    answer('post', `${ENVIRONMENT}/protection-changes`, {}, 201);
    await requireApprovals('1');
    await save();
    const dialog = within(await screen.findByRole('dialog'));
    await user.type(dialog.getByLabelText(/^Reason/), 'Outage');
    await user.click(dialog.getByLabelText(/^Emergency/));
    const override = dialog.getByRole('button', { name: 'Override protection' });
    expect(override).toHaveProperty('disabled', true);
    await user.type(dialog.getByLabelText('Type "live" to confirm'), 'live');
    await user.click(override);
    await expect.poll(() => sent.at(-1)?.body).toMatchObject({ override: true });
  });

  it('shows the error of a converted setting on its field, and keeps the edits', async () => {
    const { approvals, save, requireApprovals } = await show();
    const errors = [{ path: '/approvalTtlSeconds', code: 'too_short', message: 'At least one minute.' }];
    refuse('patch', ENVIRONMENT, { status: 422, code: 'validation_failed', errors });
    await requireApprovals('3');
    await save();
    const message = await screen.findByText('At least one minute.');
    expect(screen.getByLabelText('Approval timeout, in minutes').getAttribute('aria-describedby')).toContain(
      message.id,
    );
    expect(approvals).toHaveProperty('value', '3');
    expect(screen.getByText('Not saved yet.')).toBeTruthy();
  });

  describe('after someone else changed it', () => {
    async function showConflict() {
      const form = await show();
      await form.requireApprovals('3');
      refuse('patch', ENVIRONMENT, { status: 412, code: 'version_mismatch' });
      answer('get', ENVIRONMENT, { ...LIVE, version: 9, hostJournal: false, requiredApprovals: 5 });
      await form.save();
      await screen.findByText('Someone else changed the protection');
      return form;
    }

    it('saves the kept edits over the current version', async () => {
      const { user, approvals, save } = await showConflict();
      await user.click(screen.getByRole('button', { name: 'Keep my edits' }));
      expect(approvals).toHaveProperty('value', '3');
      await save();
      await expect.poll(() => sent.at(-1)?.version).toBe(9);
    });

    it('can show the current protection instead', async () => {
      const { user, approvals } = await showConflict();
      await user.click(screen.getByRole('button', { name: 'Load current protection and discard my edits' }));
      expect(approvals).toHaveProperty('value', '5');
      expect(screen.queryByText('Not saved yet.')).toBeNull();
    });
  });

  it('lets an admin confirm hosts that were proved in another environment', async () => {
    const { user, save, requireApprovals } = await show();
    refuse('patch', ENVIRONMENT, { status: 409, code: 'host_proved_elsewhere' });
    await requireApprovals('3');
    await save();
    await user.click(await screen.findByRole('button', { name: 'Confirm hosts and save' }));
    await expect.poll(() => sent.at(-1)?.body).toMatchObject({ confirmHosts: true, requiredApprovals: 3 });
  });

  it('can be read but not changed by other members', async () => {
    const { user, save } = await show('operator');
    await user.click(screen.getByRole('switch', { name: /^Protected/ }));
    await save();
    expect(screen.getByRole('switch', { name: /^Protected/ })).toHaveProperty('checked', true);
    expect(sent).toEqual([]);
    expect(screen.getByText(/to change these\.$/)).toBeTruthy();
  });
});
