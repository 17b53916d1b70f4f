import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../test/fake-server';
import { renderComponent } from '../../../test/render';
import { NewTokenDialog } from './NewTokenDialog';

const { answer, refuse, sent } = fakeServer();
const TOKENS = '/api/tokens';
const CREATED = { id: 't1', name: 'pipeline', token: 'rw_secret' };

async function show(account?: { id: string; name: string }) {
  answer('get', '/api/environments', { items: [{ id: 'e1', name: 'staging' }] });
  answer('get', '/api/plans', { items: [{ id: 'p1', name: 'Deploy', environmentId: null }] });
  answer('post', TOKENS, CREATED, 201);
  answer('post', '/api/service-accounts/m2/tokens', CREATED, 201);
  const state = { closed: false };
  const onClose = () => {
    state.closed = true;
  };
  const { user } = renderComponent(<NewTokenDialog account={account} onClose={onClose} />);
  await screen.findByRole('dialog');
  return { user, isClosed: () => state.closed };
}

const choose = async (user: Awaited<ReturnType<typeof show>>['user'], field: string, option: string) => {
  await user.click(screen.getByRole('combobox', { name: field }));
  await user.click(await screen.findByRole('option', { name: option }));
};
const create = () => screen.getByRole('button', { name: 'Create token' });
const name = () => screen.getByRole('textbox', { name: /^Name/ });

describe('the dialog of a new token', () => {
  it('creates a token that can start and control runs, unless another access is chosen', async () => {
    const { user } = await show();
    await user.type(name(), 'pipeline');
    await user.click(create());
    await expect.poll(() => sent[0]?.body).toMatchObject({ scope: { access: 'run' } });
  });

  it('creates an unrestricted token, and closes after the token was saved', async () => {
    const { user, isClosed } = await show();
    await user.type(name(), 'pipeline');
    await user.click(screen.getByRole('radio', { name: 'All rights of the member' }));
    await choose(user, 'Expires after', 'No expiry');
    await user.click(create());
    expect((await screen.findByLabelText('token')).textContent).toBe('rw_secret');
    expect(sent).toEqual([{ method: 'post', path: TOKENS, body: { name: 'pipeline' } }]);
    expect(screen.getByRole('button', { name: 'Done' })).toHaveProperty('disabled', true);
    await user.click(screen.getByLabelText('I saved the token'));
    await user.click(screen.getByRole('button', { name: 'Done' }));
    expect(isClosed()).toBe(true);
  });

  it('expires at a full hour', async () => {
    const { user } = await show();
    await user.type(name(), 'pipeline');
    await user.click(create());
    await expect
      .poll(() => (sent[0]?.body as { expiresAt: string } | undefined)?.expiresAt)
      .toMatch(/T\d\d:00:00\.000Z$/);
  });

  it('can be restricted to access, environments and plans', async () => {
    const { user } = await show();
    await user.type(name(), 'pipeline');
    await user.click(screen.getAllByRole('radio')[0]!);
    await choose(user, 'Environments', 'staging');
    await user.click(create());
    await expect.poll(() => sent[0]?.body).toMatchObject({ scope: { access: 'read', environmentIds: ['e1'] } });
  });

  it('warns that a plan without an environment starts nowhere yet', async () => {
    const { user } = await show();
    await choose(user, 'Plans', 'Deploy');
    expect(await screen.findByText('Deploy has no environment. Choose where the token may start it.')).toBeTruthy();
  });

  it('creates the token of a service account', async () => {
    const { user } = await show({ id: 'm2', name: 'ci' });
    expect(screen.getByText('New token of ci')).toBeTruthy();
    await user.type(name(), 'pipeline');
    await user.click(create());
    await expect.poll(() => sent.map(({ path }) => path)).toEqual(['/api/service-accounts/m2/tokens']);
  });

  it('shows the error of the name there, and keeps it', async () => {
    const { user } = await show();
    const errors = [{ path: '/name', code: 'duplicate', message: 'You have a token with this name.' }];
    refuse('post', TOKENS, { status: 422, code: 'validation_failed', errors });
    await user.type(name(), 'pipeline');
    await user.click(create());
    const message = await screen.findByText('You have a token with this name.');
    expect(name().getAttribute('aria-describedby')).toContain(message.id);
    expect(name()).toHaveProperty('value', 'pipeline');
  });

  it('shows a refusal that concerns no field', async () => {
    const { user } = await show();
    refuse('post', TOKENS, { status: 403, code: 'forbidden', detail: 'Tokens cannot create tokens.' });
    await user.type(name(), 'pipeline');
    await user.click(create());
    expect(await screen.findByText('Tokens cannot create tokens.')).toBeTruthy();
  });
});
