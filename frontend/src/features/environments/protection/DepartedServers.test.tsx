import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { Environment, GrantLevel, Role } from '../../../api/types';
import { DepartedServers } from './DepartedServers';

const { answer, sent } = fakeServer();
const LIST = '/api/environments/e1/departed-servers';
const OBSTACLE = 'Someone other than you must release the host.';

/** Shows one server that left, to a member with this role and grant. */
function show(role: Role, grant: GrantLevel | null, obstacle: string | null = OBSTACLE) {
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role, email: 'ana@example.test' });
  const item = {
    id: 'd1',
    serverId: 's1',
    serverName: 'db-1',
    how: 'moved',
    leftAt: '2026-11-20T08:00:00Z',
    leftBy: { id: 'm1', name: 'Ana' },
    countsUntil: '2026-11-27T08:00:00Z',
    keptBy: null,
    proofs: [{ address: '192.0.2.7', port: 22 }],
    currentUserObstacle: obstacle && { code: 'own_departure', text: obstacle },
  };
  answer('get', LIST, { items: [item], nextCursor: null });
  const environment = { id: 'e1', name: 'live', protected: true, currentUserGrant: grant } as Environment;
  return renderComponent(<DepartedServers environment={environment} />);
}

const button = (name: string) => screen.findByRole('button', { name });
const isOffered = async (name: string) => (await button(name)).getAttribute('aria-disabled') !== 'true';

describe('servers that left a protected environment', () => {
  it('lets an approver release the host and keep it protected', async () => {
    const { user } = show('operator', 'approve', null);
    answer('post', `${LIST}/d1/release`, {});
    await expect.poll(() => isOffered('Release host')).toBe(true);
    await user.click(await button('Release host'));
    await expect.poll(() => sent).toEqual([{ method: 'post', path: `${LIST}/d1/release`, body: {} }]);
    expect(await isOffered('Keep protected')).toBe(true);
  });

  it('lets an admin without a grant keep it protected', async () => {
    show('admin', null);
    await expect.poll(() => isOffered('Keep protected')).toBe(true);
    expect(await isOffered('Release host')).toBe(false);
  });

  it('lets an admin release it in an emergency, with a reason', async () => {
    const { user } = show('admin', null);
    answer('post', `${LIST}/d1/release`, {});
    await user.click(await button('Emergency release…'));
    await user.type(await screen.findByRole('textbox'), 'The host burns');
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Release host' }));
    await expect.poll(() => sent.map(({ body }) => body)).toEqual([{ override: true, reason: 'The host burns' }]);
  });

  it('offers other members nothing, and says which grant is missing', async () => {
    const { user } = show('operator', 'run');
    await expect.poll(() => isOffered('Keep protected')).toBe(false);
    await user.hover(await button('Keep protected'));
    expect(await screen.findByText('Needs the grant “approve” in live; ask an admin')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Emergency release…' })).toBeNull();
  });
});
