import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { Environment, GrantLevel, Role } from '../../../api/types';
import { ServerDrawer } from './ServerDrawer';

const { answer, refuse, sent } = fakeServer();
const SERVERS = '/api/inventory/servers';
const SERVER = {
  ...{ id: 's1', name: 'web-1', version: 3, hostname: 'web-1.test', port: 22, username: 'deploy', sshKeyId: 'k1' },
  ...{ environmentId: 'e1', jumpServerId: null, tags: { role: 'web' }, legacyAlgorithms: false, enabled: true },
  ...{ loginTimeoutSeconds: null, protection: 'proved', hostKeys: [] },
};

interface Scene {
  id?: string;
  role?: Role;
  grant?: GrantLevel | null;
  environment?: Partial<Environment>;
  keys?: { id: string; name: string }[];
}

async function show({ id = 's1', role = 'operator', grant = null, environment, keys }: Scene = {}) {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role, email: 'ana@example.test' });
  const live = { id: 'e1', name: 'live', protected: false, access: 'open', currentUserGrant: grant, ...environment };
  answer('get', '/api/environments', { items: [live] });
  answer('get', '/api/environments/e1', live);
  answer('get', '/api/ssh-keys', { items: keys ?? [{ id: 'k1', name: 'deploy key' }] });
  answer('get', SERVERS, { items: [], nextCursor: null });
  answer('get', `${SERVERS}/s1`, SERVER);
  answer('post', SERVERS, { ...SERVER, id: 's2' }, 201);
  answer('patch', `${SERVERS}/s1`, SERVER);
  const saved: string[] = [];
  const { user } = renderComponent(
    <ServerDrawer id={id} environmentId="e1" onSaved={(server) => saved.push(server.id)} onClose={() => undefined} />,
  );
  await screen.findByRole('textbox', { name: /^Address/ });
  return { user, saved };
}

const field = (name: RegExp) => screen.getByRole('textbox', { name });
const press = (name: string) => screen.getByRole('button', { name });
const isOffered = (name: string) => press(name).getAttribute('aria-disabled') !== 'true';

describe('the form of a server', () => {
  it('leaves the choice between several keys to the user', async () => {
    const keys = ['old', 'new'].map((name) => ({ id: name, name: `${name} key` }));
    const { user } = await show({ id: 'new', keys });
    const select = () => screen.getByRole('combobox', { name: /^SSH key/ });
    expect(select()).toHaveProperty('value', '');
    await user.click(select());
    await user.click(await screen.findByRole('option', { name: 'new key' }));
    expect(select()).toHaveProperty('value', 'new key');
  });

  it('creates a server with the only key, in the environment of the page', async () => {
    const { user, saved } = await show({ id: 'new' });
    await expect.poll(() => isOffered('Create server')).toBe(true);
    await user.type(field(/^Name/), 'db-1');
    await user.type(field(/^Address/), 'db-1.test');
    await user.type(field(/^User name/), 'deploy');
    await user.type(screen.getByLabelText(/^Tags/, { selector: 'input' }), 'role=db{Enter}');
    await user.click(press('Create server'));
    await expect.poll(() => saved).toEqual(['s2']);
    expect(sent).toMatchObject([
      {
        method: 'post',
        body: {
          name: 'db-1',
          hostname: 'db-1.test',
          port: 22,
          sshKeyId: 'k1',
          environmentId: 'e1',
          tags: { role: 'db' },
        },
      },
    ]);
  });

  it('sends nothing without an SSH key', async () => {
    const { user } = await show({ id: 'new', keys: [] });
    await expect.poll(() => isOffered('Create server')).toBe(true);
    await user.type(field(/^Name/), 'db-1');
    await user.click(press('Create server'));
    await expect.poll(() => screen.getByRole('combobox', { name: /^SSH key/ }).ariaInvalid).toBe('true');
    expect(sent).toEqual([]);
  });

  it('saves the version that was edited', async () => {
    const { user, saved } = await show();
    await expect.poll(() => isOffered('Save')).toBe(true);
    await user.type(field(/^Name/), 'b');
    await user.click(press('Save'));
    await expect.poll(() => saved).toEqual(['s1']);
    expect(sent).toMatchObject([{ version: 3, body: { name: 'web-1b', tags: { role: 'web' } } }]);
    expect(sent[0]?.body).not.toHaveProperty('hostKey');
  });

  it('shows the error of a field there, and keeps the edits', async () => {
    const { user, saved } = await show();
    const errors = [{ path: '/hostname', code: 'forbidden_address', message: 'This address is not allowed.' }];
    refuse('patch', `${SERVERS}/s1`, { status: 422, code: 'validation_failed', errors });
    await expect.poll(() => isOffered('Save')).toBe(true);
    await user.type(field(/^Address/), '.internal');
    await user.click(press('Save'));
    const message = await screen.findByText('This address is not allowed.');
    expect(field(/^Address/).getAttribute('aria-describedby')).toContain(message.id);
    expect(field(/^Address/)).toHaveProperty('value', 'web-1.test.internal');
    expect(saved).toEqual([]);
  });

  it('lets an admin confirm a host that was proved in another environment', async () => {
    const { user, saved } = await show({ role: 'admin' });
    refuse('patch', `${SERVERS}/s1`, { status: 409, code: 'host_proved_elsewhere' });
    await expect.poll(() => isOffered('Save')).toBe(true);
    await user.click(press('Save'));
    const confirm = await screen.findByRole('button', { name: 'Confirm hosts and save' });
    answer('patch', `${SERVERS}/s1`, SERVER);
    await user.click(confirm);
    await expect.poll(() => saved).toEqual(['s1']);
    expect(sent.map(({ body }) => (body as { confirmHosts?: true }).confirmHosts)).toEqual([undefined, true]);
  });

  it('keeps the host of a protected environment read-only for members who cannot approve', async () => {
    await show({ environment: { protected: true }, grant: 'run' });
    expect(await screen.findByText(/^Address, port, jump server and environment: “live” is protected/)).toBeTruthy();
    expect(field(/^Address/)).toHaveProperty('disabled', true);
    expect(field(/^Name/)).toHaveProperty('disabled', false);
  });

  it('lets approvers change the host of a protected environment', async () => {
    await show({ environment: { protected: true }, grant: 'approve' });
    await expect.poll(() => isOffered('Save')).toBe(true);
    expect(field(/^Address/)).toHaveProperty('disabled', false);
  });

  it('is read-only for viewers', async () => {
    const { user } = await show({ role: 'viewer' });
    await user.click(press('Save'));
    expect(isOffered('Save')).toBe(false);
    expect(sent).toEqual([]);
  });
});
