import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../../test/fake-server';
import { renderComponent } from '../../../../test/render';
import type { GitSource } from '../../../api/types';
import { GitSourceDialog } from './GitSourceDialog';

const { answer, refuse, sent } = fakeServer();
const SOURCES = '/api/git-sources';
const SOURCE = {
  ...{ id: 'g1', name: 'plans', version: 5, description: '', url: 'https://git.test/plans.git', branch: null },
  ...{ credential: { sshKeyId: null, user: 'bot' }, hostKey: null, syncEverySeconds: 777 },
  webhook: { configured: true },
} as unknown as GitSource;

async function show(source?: GitSource) {
  answer('get', '/api/ssh-keys', { items: [{ id: 'k1', name: 'deploy key' }] });
  answer('post', SOURCES, { ...SOURCE, id: 'g2' }, 201);
  answer('patch', `${SOURCES}/g1`, SOURCE);
  const saved: string[] = [];
  const { user } = renderComponent(
    <GitSourceDialog source={source} onSaved={({ id }) => saved.push(id)} onClose={() => undefined} />,
  );
  await screen.findByRole('dialog');
  return { user, saved };
}

const field = (name: RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name });
const press = (name: string) => screen.getByRole('button', { name });
const choice = (name: string) => screen.getByRole('radio', { name });

describe('the dialog of a git source', () => {
  it('creates a source with an SSH key and the host key of an SSH URL', async () => {
    const { user, saved } = await show();
    await user.type(field(/^Name/), 'plans');
    expect(screen.queryByRole('textbox', { name: /^Host key/ })).toBeNull();
    await user.type(field(/^URL/), 'git@git.test:plans.git');
    await user.type(field(/^Host key/), 'SHA256:abc');
    await user.click(choice('SSH key'));
    await user.click(screen.getByRole('combobox', { name: /^SSH key/ }));
    await user.click(await screen.findByRole('option', { name: 'deploy key' }));
    await user.click(press('Create git source'));
    await expect.poll(() => saved).toEqual(['g2']);
    expect(sent).toMatchObject([
      {
        method: 'post',
        body: { url: 'git@git.test:plans.git', credential: { sshKeyId: 'k1' }, hostKey: { fingerprint: 'SHA256:abc' } },
      },
    ]);
  });

  it('names what is missing for the chosen authentication, and sends nothing', async () => {
    const { user } = await show();
    await user.click(choice('Token'));
    await user.click(choice('With a secret'));
    await user.click(press('Create git source'));
    expect(screen.getByText('Enter the token.')).toBeTruthy();
    expect(screen.getByText('Enter or generate a secret.')).toBeTruthy();
    await user.click(choice('SSH key'));
    await user.click(press('Create git source'));
    expect(screen.getByText('Choose the SSH key that the git server accepts.')).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it('sends only changed fields, and keeps the stored token and secret', async () => {
    const { user, saved } = await show(SOURCE);
    expect(screen.getByText('Uses the token of bot. The token is not shown.')).toBeTruthy();
    await user.type(field(/^Branch/), 'main');
    await user.click(press('Save'));
    await expect.poll(() => saved).toEqual(['g1']);
    expect(sent).toEqual([{ method: 'patch', path: `${SOURCES}/g1`, version: 5, body: { branch: 'main' } }]);
  });

  it('keeps an interval that is not in the list', async () => {
    await show(SOURCE);
    expect(screen.getByRole('combobox', { name: 'Sync' })).toHaveProperty('value', 'Every 777 s');
  });

  it('generates a webhook secret, which it then offers to copy', async () => {
    const { user } = await show(SOURCE);
    await user.click(choice('New secret'));
    await user.click(press('Generate secret'));
    const secret = field(/^Secret/).value;
    expect(secret).toMatch(/^[0-9a-f]{40}$/);
    expect(screen.queryByRole('button', { name: 'Generate secret' })).toBeNull();
    await user.click(press('Save'));
    await expect.poll(() => sent[0]?.body).toEqual({ webhookSecret: secret });
  });

  it('removes the stored secret when calls are refused', async () => {
    const { user } = await show(SOURCE);
    await user.click(choice('Refuse calls'));
    await user.click(press('Save'));
    await expect.poll(() => sent[0]?.body).toEqual({ webhookSecret: null });
  });

  it('shows the errors of a credential and an interval on their fields, and keeps the edits', async () => {
    const { user, saved } = await show(SOURCE);
    const errors = [
      { path: '/credential/token', code: 'refused', message: 'The git server refused the token.' },
      { path: '/syncEverySeconds', code: 'too_short', message: 'At least 60 s.' },
    ];
    refuse('patch', `${SOURCES}/g1`, { status: 422, code: 'validation_failed', errors });
    await user.click(choice('New token'));
    const token = screen.getByLabelText<HTMLInputElement>(/^Token/, { selector: 'input[type=password]' });
    await user.type(token, 't1');
    await user.click(press('Save'));
    const message = await screen.findByText('The git server refused the token.');
    expect(token.getAttribute('aria-describedby')).toContain(message.id);
    const interval = screen.getByRole('combobox', { name: 'Sync' });
    expect(interval.getAttribute('aria-describedby')).toContain(screen.getByText('At least 60 s.').id);
    expect([token.value, saved]).toEqual(['t1', []]);
  });

  it('shows a refusal that concerns no field', async () => {
    const { user } = await show(SOURCE);
    refuse('patch', `${SOURCES}/g1`, { status: 409, code: 'duplicate_name', detail: 'The name is in use.' });
    await user.type(field(/^Name/), '2');
    await user.click(press('Save'));
    expect(await screen.findByText('The name is in use.')).toBeTruthy();
  });
});
