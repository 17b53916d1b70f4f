import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { fakeServer } from '../../../test/fake-server';
import { renderComponent } from '../../../test/render';
import type { Webhook } from '../../api/types';
import { WebhookDialog } from './WebhookDialog';

const { answer, refuse, sent } = fakeServer();
const WEBHOOKS = '/api/webhooks';
const WEBHOOK = {
  ...{ id: 'w1', name: 'board', version: 2, url: 'https://hooks.test/a', events: ['execution.finished'] },
  ...{ environmentIds: ['e1', 'e2'], enabled: true },
  environments: [
    { id: 'e1', name: 'staging' },
    { id: 'e2', name: null },
  ],
} as Webhook;

async function show(webhook?: Webhook) {
  answer('get', '/api/environments', { items: [{ id: 'e1', name: 'staging' }] });
  answer('post', WEBHOOKS, { ...WEBHOOK, secret: 'whsec_1' }, 201);
  answer('patch', `${WEBHOOKS}/w1`, WEBHOOK);
  const saved: string[] = [];
  const { user } = renderComponent(
    <WebhookDialog webhook={webhook} onSaved={({ id }) => saved.push(id)} onClose={() => undefined} />,
  );
  await screen.findByRole('dialog');
  return { user, saved };
}

const field = (name: RegExp) => screen.getByRole('textbox', { name });
const press = (name: string) => screen.getByRole('button', { name });

describe('the dialog of a webhook', () => {
  it('creates a webhook for all environments, and closes after the secret was saved', async () => {
    const { user, saved } = await show();
    await user.type(field(/^Name/), 'board');
    await user.type(field(/^URL/), 'https://hooks.test/a');
    await user.click(press('Create webhook'));
    expect((await screen.findByLabelText('signing secret')).textContent).toBe('whsec_1');
    expect(sent[0]?.body).toEqual({
      ...{ name: 'board', url: 'https://hooks.test/a', environmentIds: null, enabled: true },
      events: ['execution.finished', 'approval.requested'],
    });
    expect(press('Done')).toHaveProperty('disabled', true);
    await user.click(screen.getByLabelText('I saved the signing secret'));
    await user.click(press('Done'));
    expect(saved).toEqual(['w1']);
  });

  it('names what is missing, and sends nothing', async () => {
    const { user } = await show();
    await user.click(screen.getByRole('radio', { name: 'Selected environments' }));
    await user.click(press('Create webhook'));
    expect(screen.getByText('Enter a name.')).toBeTruthy();
    expect(screen.getByText('Enter the URL that receives messages.')).toBeTruthy();
    expect(screen.getByText('Choose at least one environment.')).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it('needs an event', async () => {
    const { user } = await show(WEBHOOK);
    await user.click(screen.getByRole('checkbox', { checked: true }));
    await user.click(press('Save'));
    expect(screen.getByText('Choose at least one event.')).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it('drops deleted environments from an edited webhook', async () => {
    const { user, saved } = await show(WEBHOOK);
    await user.click(press('Save'));
    await expect.poll(() => saved).toEqual(['w1']);
    expect(sent).toMatchObject([{ method: 'patch', version: 2, body: { environmentIds: ['e1'] } }]);
  });

  it('warns that a new URL gets a new secret, and shows that secret', async () => {
    const { user, saved } = await show(WEBHOOK);
    answer('patch', `${WEBHOOKS}/w1`, { ...WEBHOOK, secret: 'whsec_2' });
    expect(screen.queryByText(/A new URL gets a new secret/)).toBeNull();
    await user.type(field(/^URL/), 'b');
    expect(screen.getByText(/A new URL gets a new secret/)).toBeTruthy();
    await user.click(press('Save'));
    expect((await screen.findByLabelText('signing secret')).textContent).toBe('whsec_2');
    expect(screen.getByText(/the previous secret is no longer valid/)).toBeTruthy();
    expect(saved).toEqual([]);
  });

  it('shows the error of a refused URL there, and keeps the edits', async () => {
    const { user, saved } = await show(WEBHOOK);
    const errors = [{ path: '/url', code: 'forbidden_address', message: 'Private addresses are not allowed.' }];
    refuse('patch', `${WEBHOOKS}/w1`, { status: 422, code: 'validation_failed', errors });
    await user.type(field(/^URL/), '/2');
    await user.click(press('Save'));
    const message = await screen.findByText('Private addresses are not allowed.');
    expect(field(/^URL/).getAttribute('aria-describedby')).toContain(message.id);
    expect(field(/^URL/)).toHaveProperty('value', 'https://hooks.test/a/2');
    expect(saved).toEqual([]);
  });

  it('shows a refusal that concerns no field', async () => {
    const { user } = await show(WEBHOOK);
    refuse('patch', `${WEBHOOKS}/w1`, { status: 412, code: 'version_mismatch', detail: 'Someone else changed it.' });
    await user.click(press('Save'));
    expect(await screen.findByText('Someone else changed it.')).toBeTruthy();
  });
});
