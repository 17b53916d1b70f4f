import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, openFromMenu, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: Stage;
let receiver: Receiver;
let planId: string;

test.beforeAll(async () => {
  [stage, receiver] = await Promise.all([startStage(['127.0.9.1']), startReceiver()]);
  planId = await stage.planOf('Nightly', [{ key: 'one', name: 'One', command: 'echo one' }]);
});
test.afterAll(async () => {
  await stage?.end();
  await receiver?.end();
});

test('a board receives events of runs, is down for a while, and gets what it missed', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, stage.runward);

  await test.step('a forbidden address is refused at its field', async () => {
    await openFromMenu(page, 'Webhooks');
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New webhook' });
    await dialog.getByLabel(/^Name/).fill('Deploy board');
    await dialog.getByLabel(/^URL/).fill('https://169.254.169.254/');
    await dialog.getByRole('button', { name: 'All of Runs' }).click();
    await dialog.getByLabel('Run waits for approval').uncheck();
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
    await expect(dialog.getByText(/is not allowed/)).toBeVisible();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await takeScreenshot(page, `webhooks-1-form-${colorScheme}`);
      await expectAccessible(page);
    }
    await dialog.getByLabel(/^URL/).fill(receiver.url);
    await dialog.getByRole('button', { name: 'Create webhook' }).click();
  });

  await test.step('its secret is shown once', async () => {
    const dialog = page.getByRole('dialog', { name: 'Secret of Deploy board' });
    receiver.secret = (await dialog.getByLabel('signing secret', { exact: true }).textContent()) ?? '';
    expect(receiver.secret).toMatch(/^whsec_/);
    await expectAccessible(page);
    await takeScreenshot(page, 'webhooks-2-secret');
    await dialog.getByLabel('I saved the signing secret').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('heading', { name: 'Deploy board', level: 1 })).toBeVisible();
  });

  await test.step('a signed test arrives, and its response is shown', async () => {
    await page.getByRole('button', { name: 'Send test message' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test message' });
    await expect(dialog.getByTestId('attempt')).toContainText('status 200');
    await expect(dialog.getByLabel('Response to attempt 1')).toHaveText('taken');
    expect(receiver.taken).toEqual([{ type: 'webhook.test', genuine: true }]);
    await takeScreenshot(page, 'webhooks-3-test');
    await page.keyboard.press('Escape');
  });

  await test.step('events of a run arrive while it runs', async () => {
    await stage.startRun(planId);
    const table = page.getByRole('table', { name: 'Deliveries' });
    await expect(table.getByRole('row', { name: /Run ended/ })).toContainText('Delivered', { timeout: 20_000 });
    expect(receiver.taken.at(-1)).toEqual({ type: 'execution.finished', genuine: true });
    await expect(page.getByTestId('webhook-state')).toHaveText('Delivering');
  });

  await test.step('the board responds with 410: the webhook is disabled, and says so', async () => {
    receiver.status = 410;
    await stage.startRun(planId);
    await expect(page.getByText(/answered 410 \(gone\)/).first()).toBeVisible({ timeout: 20_000 });
    await expect(page.getByTestId('webhook-state')).toHaveText('Disabled');
    await page.getByRole('radiogroup', { name: 'Filter by state' }).getByText('Dead', { exact: true }).click();
    await expect(page).toHaveURL(/state=dead/);
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('button').last().click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByTestId('attempt')).toContainText('status 410');
    // The response is displayed as text, even if it contains HTML.
    await expect(dialog.getByLabel('Response to attempt 1')).toHaveText('closed for <b>today</b>');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await takeScreenshot(page, `webhooks-4-delivery-${colorScheme}`);
      await expectAccessible(page);
    }
    await page.keyboard.press('Escape');
    await takeScreenshot(page, 'webhooks-5-disabled');
  });

  await test.step('it is enabled again, and dead messages are replayed', async () => {
    receiver.status = 200;
    const before = receiver.taken.length;
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Replay dead deliveries' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await expect(page.getByText('No deliveries in this state')).toBeVisible();
    await page.getByRole('radiogroup', { name: 'Filter by state' }).getByText('All', { exact: true }).click();
    await expect(page.getByRole('table', { name: 'Deliveries' })).not.toContainText('Waiting', { timeout: 20_000 });
    // The receiver refused the run's first message, so later ones were not stored.
    await expect.poll(() => receiver.taken.slice(before).map(({ type }) => type)).toContain('execution.status_changed');
    expect(receiver.taken.every(({ genuine }) => genuine)).toBe(true);
  });

  await test.step('instructions to check signatures are available', async () => {
    await page.getByRole('button', { name: 'Verify signatures' }).click();
    const dialog = page.getByRole('dialog', { name: 'Verify message signatures' });
    await dialog.getByRole('tab', { name: 'Shell' }).click();
    await expect(dialog.getByLabel('Verify with Shell')).toContainText('openssl dgst');
    await expectAccessible(page);
    await takeScreenshot(page, 'webhooks-6-verify');
  });
  expect(consoleErrors.filter((text) => !text.includes('400'))).toEqual([]);
});
