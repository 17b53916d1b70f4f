import { expect, test } from '@playwright/test';
import { type HttpReceiver, startHttpReceiver } from '../../backend/test/support/http-receiver.js';
import { type MailServer, startMailServer } from '../../backend/test/support/mail-server.js';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, openFromMenu, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: Stage;
let mail: MailServer;
let chat: HttpReceiver;

test.beforeAll(async () => {
  [mail, chat] = await Promise.all([startMailServer(), startHttpReceiver()]);
  stage = await startStage(['127.0.12.1'], 'staging', {
    RUNWARD_SMTP_URL: `smtp://127.0.0.1:${mail.port}?starttls=off`,
    RUNWARD_SMTP_FROM: 'Runward <runward@example.org>',
  });
});
test.afterAll(async () => {
  await stage?.end();
  await mail?.close();
  await chat?.close();
});

test('a rule is created and tested, reports a failed run, and a failed message is resent', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, stage.runward);
  const dialog = page.getByRole('dialog');

  await test.step('mail to an address, tested before it is saved', async () => {
    await openFromMenu(page, 'Notifications');
    await expect(page.getByText('No notification rules yet')).toBeVisible();
    await page.getByRole('button', { name: 'New rule' }).first().click();
    await dialog.getByLabel('Name').fill('Failures by mail');
    await dialog.getByRole('button', { name: 'Send test message' }).click();
    await expect(dialog.getByText('Choose a member or enter an address.')).toBeVisible();
    await dialog.getByLabel('Addresses').fill('ops@example.org');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Send test message' }).click();
    await expect(dialog.getByText('Test message accepted')).toBeVisible();
    expect(mail.mails.map(({ to, headers }) => [to, headers.subject])).toEqual([
      [['ops@example.org'], '[Runward] [Test] Failures by mail'],
    ]);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await takeScreenshot(page, `notifications-1-form-${colorScheme}`);
      await expectAccessible(page);
    }
    await dialog.getByRole('button', { name: 'Create notification rule' }).click();
    await expect(page.getByRole('heading', { name: 'Failures by mail', level: 1 })).toBeVisible();
  });

  await test.step('a chat that refuses the test, with the reason', async () => {
    chat.answer(() => ({ status: 404, body: 'no_service' }));
    await openFromMenu(page, 'Notifications');
    await page.getByRole('button', { name: 'New rule' }).click();
    await dialog.getByLabel('Name').fill('Failures to the chat');
    await dialog.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: /^Slack/ }).click();
    await dialog.getByLabel('Incoming webhook URL').fill(`${chat.url}/services/T0/s3cret`);
    await dialog.getByRole('button', { name: 'Send test message' }).click();
    await expect(dialog.getByText(/answered 404 \(no_service\): the webhook or topic no longer exists/)).toBeVisible();
    await dialog.getByRole('button', { name: 'Create notification rule' }).click();
    await expect(page.getByRole('heading', { name: 'Failures to the chat', level: 1 })).toBeVisible();
    await expect(page.getByText('s3cret')).toHaveCount(0);
  });

  await test.step('a run fails: the mail arrives, the chat refuses', async () => {
    const planId = await stage.planOf('Deploy', [{ key: 'one', name: 'Restart', command: 'echo oops; exit 3' }]);
    await stage.startRun(planId);
    await expect(page.getByRole('row', { name: /Failed: Deploy in staging/ })).toContainText('answered 404', {
      timeout: 30_000,
    });
    await expect.poll(() => mail.mails.length, { timeout: 20_000 }).toBe(2);
    expect(mail.mails[1]?.text).toContain('Failed step: Restart (exit code 3)');
    expect(mail.mails[1]?.text).toContain('    oops\n');
    await takeScreenshot(page, 'notifications-2-failed');
    await expectAccessible(page);
  });

  await test.step('the chat works again, and the message is resent', async () => {
    chat.answer(() => ({ status: 200, body: 'ok' }));
    await page.getByRole('button', { name: /^Send again/ }).click();
    await expect(page.getByRole('row', { name: /Failed: Deploy in staging/ })).toContainText('Sent', {
      timeout: 30_000,
    });
    expect(chat.calls.at(-1)?.body).toContain('Failed on');
    await openFromMenu(page, 'Notifications');
    await expect(page.getByRole('row', { name: /Failures by mail/ })).toContainText('Sent');
    await takeScreenshot(page, 'notifications-3-list');
  });
  expect(consoleErrors).toEqual([]);
});
