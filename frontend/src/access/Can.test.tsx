import { Button } from '@mantine/core';
import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { fakeServer } from '../../test/fake-server';
import { renderComponent } from '../../test/render';
import type { Role } from '../api/types';
import { Can } from './Can';

const { answer } = fakeServer();

function show(role: Role, grant: 'view' | 'run' | null) {
  const people = (...names: string[]) => ({ rule: 'admins', names, more: 0 });
  answer('get', '/api/auth/me', { id: 'm1', name: 'Ana', role });
  answer('get', '/api/environments/e1', { id: 'e1', name: 'live', access: 'restricted', currentUserGrant: grant });
  answer('get', '/api/environments/e1/permissions', {
    ...{ run: people('Olga'), approve: people(), administer: people('Petra', 'Zoe') },
  });
  const onClick = vi.fn();
  const { user } = renderComponent(
    <Can role="operator" environmentId="e1">
      <Button onClick={onClick}>Delete plan</Button>
    </Can>,
  );
  return { user, onClick };
}
const button = () => screen.findByRole('button', { name: 'Delete plan' });

describe('a control that needs a role and a grant', () => {
  it.each([
    ['viewer', 'run', 'Needs the Operator role; ask an admin: Petra and Zoe'],
    ['operator', 'view', 'Needs the grant “run” in live; ask an admin: Petra and Zoe'],
  ] as const)('says to a %s with the grant “%s” what is missing, and who can give it', async (role, grant, reason) => {
    const { user, onClick } = show(role, grant);
    await expect.poll(async () => (await button()).getAttribute('aria-disabled')).toBe('true');
    await user.hover(await button());
    expect(await screen.findByText(reason)).toBeTruthy();
    await user.click(await button());
    expect(onClick).not.toHaveBeenCalled();
  });

  it('is enabled with both', async () => {
    const { user, onClick } = show('operator', 'run');
    await expect.poll(async () => (await button()).getAttribute('aria-disabled')).toBeNull();
    await user.click(await button());
    expect(onClick).toHaveBeenCalledOnce();
  });
});
