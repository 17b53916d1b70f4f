import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { EMBEDDED_DATABASE } from '../support/runward.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { choose, collectConsoleErrors, openFromMenu, takeScreenshot, signIn } from '../support/page-helpers.js';

const HOSTS = [
  { name: 'web-1', address: '127.0.1.1', tag: 'role=web' },
  { name: 'web-2', address: '127.0.1.2', tag: 'role=web' },
  { name: 'db-1', address: '127.0.1.3', tag: 'role=db' },
];

let stage: BareStage;

test.beforeAll(async () => {
  stage = await startBareStage(
    HOSTS.map(({ address }) => address),
    EMBEDDED_DATABASE,
  );
});
test.afterAll(() => stage?.end());

test('from first login to a green run', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);

  await test.step('sign in and find the first steps', async () => {
    await page.goto(stage.runward.url);
    await expect(page.getByRole('heading', { name: 'Sign in to Runward' })).toBeVisible();
    await takeScreenshot(page, '01-sign-in');
    await signIn(page, stage.runward);
    await takeScreenshot(page, '02-first-start');
  });

  await test.step('generate an SSH key, whose private part is shown once', async () => {
    await openFromMenu(page, 'SSH keys');
    await page.getByRole('button', { name: 'New key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Name/).fill('deploy');
    await dialog.getByRole('button', { name: 'Generate key' }).click();
    await expect(dialog.getByLabel('private key', { exact: true })).toContainText('BEGIN OPENSSH PRIVATE KEY');
    await takeScreenshot(page, '03-private-key-once');
    await dialog.getByLabel('I saved the private key').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByText('BEGIN OPENSSH PRIVATE KEY')).toHaveCount(0);
    const keys = (await (await page.request.get(`${stage.runward.url}/api/ssh-keys`)).json()) as {
      items: { publicKey: string }[];
    };
    await stage.fleet.addAuthorizedKey(keys.items[0]?.publicKey ?? '');
  });

  await test.step('create an environment', async () => {
    await openFromMenu(page, 'Environments');
    await page.getByRole('button', { name: 'New environment' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Name/).fill('staging');
    await dialog.getByRole('button', { name: 'Create environment' }).click();
    await expect(page.getByRole('cell', { name: 'staging', exact: true })).toBeVisible();
  });

  await test.step('register the servers, compare their host keys and accept them', async () => {
    await openFromMenu(page, 'Servers');
    for (const host of HOSTS) {
      await page.getByRole('link', { name: 'New server' }).first().click();
      const form = page.getByRole('dialog');
      await form.getByLabel(/^Name/).fill(host.name);
      await form.getByLabel(/^Address/).fill(host.address);
      await form.getByLabel(/^Port/).fill(String(stage.fleet.port));
      await form.getByLabel(/^User name/).fill(stage.fleet.user);
      await expect(form.getByRole('combobox', { name: /^SSH key/ })).toHaveValue('deploy');
      await expect(form.getByRole('combobox', { name: /^Environment/ })).toHaveValue('staging');
      await form.getByLabel(/^Tags/).fill(host.tag);
      await form.getByLabel(/^Tags/).press('Enter');
      await form.getByRole('button', { name: 'Create server' }).click();
      // The check begins with the creation.
      const review = page.getByRole('dialog', { name: `Host key of ${host.name}` });
      await expect(review).toContainText(stage.fleet.hostKeyOf(host.address).fingerprint);
      if (host === HOSTS[0]) await takeScreenshot(page, '04-host-key');
      await review.getByRole('button', { name: 'Accept key' }).click();
      await expect(review).toHaveCount(0);
    }
    await expect(page.getByRole('row', { name: /web-1/ })).toContainText('Reachable');
    await takeScreenshot(page, '05-servers');
  });

  await test.step('write a plan of two steps', async () => {
    await openFromMenu(page, 'Plans');
    await page.getByRole('link', { name: 'New plan' }).first().click();
    await page.getByLabel(/^Name/).first().fill('Restart web');
    await choose(page, /^Environment/, 'staging');
    const first = page.getByRole('region', { name: 'Step 1' });
    await first.getByLabel(/^Key/).fill('facts');
    await first.getByLabel(/^Command/).fill('echo "facts of $(uname -s)"; echo "to stderr" >&2');
    await page.getByRole('button', { name: 'Add step' }).click();
    const second = page.getByRole('region', { name: 'Step 2' });
    await second.getByLabel(/^Key/).fill('restart');
    await second
      .getByLabel(/^Command/)
      .fill(
        `for n in 1 2 3 4 5; do echo "restarting $n of 5"; until test -f ${join(stage.folder, 'go')}; do sleep 0.1; done; done; printf "\\033[32mgreen\\033[0m again\\n"`,
      );
    await second.getByRole('button', { name: /^Hosts/ }).click();
    await second.getByLabel(/^Targets/).fill('role=web');
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(page.getByText('Revision 1').first()).toBeVisible();
    await takeScreenshot(page, '06-plan');
  });

  await test.step('start it and watch it succeed', async () => {
    await page.getByRole('link', { name: 'Run plan', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('3 hosts');
    await takeScreenshot(page, '07-start');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await expect(page).toHaveURL(/\/executions\/[0-9a-f-]{36}/);
    await expect(page.getByTestId('cell-web-1-restart')).toHaveAttribute('data-status', 'RUNNING');
    await expect(page.getByTestId('output-line').filter({ hasText: 'restarting 1 of 5' }).first()).toBeVisible();
    await takeScreenshot(page, '08-running');
    await stage.letGo('go');
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
    for (const cell of ['web-1-facts', 'web-2-facts', 'db-1-facts', 'web-1-restart', 'web-2-restart']) {
      await expect(page.getByTestId(`cell-${cell}`)).toHaveAttribute('data-status', 'SUCCEEDED');
    }
    await takeScreenshot(page, '09-green');
  });

  await test.step('read one cell, and find it again by its link', async () => {
    await page.getByTestId('cell-web-2-restart').click();
    await expect(page).toHaveURL(/step=restart/);
    await expect(page.getByTestId('output-line')).toHaveCount(6);
    await expect(page.getByTestId('output-line').last()).toContainText('green again');
    await page.reload();
    await expect(page.getByTestId('output-line')).toHaveCount(6);
    await takeScreenshot(page, '10-one-cell');
  });

  await test.step('see it in the list of runs after signing in again', async () => {
    await page.getByRole('button', { name: /account of/i }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in to Runward' })).toBeVisible();
    await signIn(page, stage.runward);
    await openFromMenu(page, 'Runs');
    await expect(page.getByRole('row', { name: /Restart web/ })).toContainText('Succeeded');
  });

  expect(consoleErrors).toEqual([]);
});
