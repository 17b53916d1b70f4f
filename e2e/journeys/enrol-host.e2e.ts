import { expect, type Page, test } from '@playwright/test';
import { type HostKeyFolder, hostKeyFolder, runCommand } from '../../backend/test/support/enrolling-host.js';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type Call } from '../support/api.js';
import { type KeyFleet, startKeyFleet } from '../support/key-fleet.js';
import { type Runward, startRunward } from '../support/runward.js';
import { choose, collectConsoleErrors, openFromMenu, openPageAs, takeScreenshot } from '../support/page-helpers.js';

const OPERATOR = { email: 'ada@e2e.test', name: 'Ada Operator', role: 'operator', password: 'long enough to be one' };
const ADDRESSES = ['127.0.7.1', '127.0.7.2'];
const [FIRST = '', SECOND = ''] = ADDRESSES;

let runward: Runward;
let fleet: KeyFleet;
let keys: HostKeyFolder;
let call: Call;

test.beforeAll(async () => {
  [runward, fleet] = await Promise.all([startRunward(), startKeyFleet(ADDRESSES)]);
  call = await apiOf(runward);
  keys = hostKeyFolder();
  keys.write('ed25519', `${fleet.hostKey.type} ${fleet.hostKey.publicKey} root@host\n`);
  await call('POST', '/api/members', OPERATOR);
  await call('POST', '/api/environments', { name: 'staging' });
  await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
});
test.afterAll(async () => {
  await runward?.stop();
  await fleet?.end();
  keys?.remove();
});

const dialog = (page: Page) => page.getByRole('dialog');

async function enrolment(page: Page, name: string): Promise<string> {
  await openFromMenu(page, 'Servers');
  await page.getByRole('link', { name: 'Enrol host' }).first().click();
  await choose(dialog(page), 'Environment', 'staging');
  await choose(dialog(page), 'SSH key', 'deploy');
  await dialog(page).getByRole('textbox', { name: 'User name' }).fill(fleet.user);
  await dialog(page).getByRole('textbox', { name: 'Port' }).fill(String(fleet.port));
  await dialog(page).getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await dialog(page).getByRole('combobox', { name: 'Tags' }).fill('role=web');
  await dialog(page).getByRole('combobox', { name: 'Tags' }).press('Enter');
  await takeScreenshot(page, `enrol-1-form-${name}`);
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Create command' }).click();
  await expect(dialog(page)).toContainText('Waiting for the host');
  return (await dialog(page).getByLabel('command', { exact: true }).textContent()) ?? '';
}

/** Runs the command on a host, as cloud-init does. */
const runOn = (address: string, command: string, home = fleet.home(address)) =>
  runCommand(command, {
    ...{ RUNWARD_ADDRESS: address, RUNWARD_HOME: home, RUNWARD_HOST_KEYS: keys.path },
    RUNWARD_WAIT: '15',
  });

test('a host registers itself with one command, and the dialog shows it', async ({ browser }) => {
  const page = await openPageAs(browser, runward, OPERATOR);
  const consoleErrors = collectConsoleErrors(page);
  const command = await enrolment(page, 'web-1');
  await takeScreenshot(page, 'enrol-2-ready');
  await expectAccessible(page);
  await dialog(page).getByText('cloud-init', { exact: true }).click();
  await expect(dialog(page).getByLabel('cloud-init user data')).toContainText('#cloud-config');
  await expect(dialog(page).getByLabel('cloud-init user data')).toContainText(command.trim());
  await takeScreenshot(page, 'enrol-3-cloud-init');

  const ended = await runOn(FIRST, command);
  expect(ended).toMatchObject({ code: 0 });
  const state = dialog(page).getByRole('region', { name: 'State' });
  await expect(state).toContainText('Registered, login works');
  await takeScreenshot(page, 'enrol-4-registered');
  await expectAccessible(page);
  await state.getByRole('link', { name: 'web-1' }).click();
  await expect(page.getByTestId('server-state')).toContainText('Reachable');
  await page.getByRole('tab', { name: 'Host key' }).click();
  await expect(page.getByRole('row').filter({ hasText: 'Current' })).toContainText('enrol');
  expect(consoleErrors).toEqual([]);
});

test('a failed login is explained, and an open enrolment can be revoked', async ({ browser }) => {
  const page = await openPageAs(browser, runward, OPERATOR);
  const command = await enrolment(page, 'web-2');
  // Writes the public key to a file that sshd does not read.
  const ended = await runOn(SECOND, command, fleet.home(FIRST));
  expect(ended.code).toBe(1);
  await expect(dialog(page)).toContainText('Registered, login failed');
  await takeScreenshot(page, 'enrol-5-failed');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await enrolment(page, 'web-3');
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'open enrolments' }).click();
  const rows = page.getByRole('table', { name: 'Enrolments' }).getByRole('row');
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1)).toContainText('web-3');
  await rows
    .nth(1)
    .getByRole('button', { name: /^Revoke/ })
    .click();
  await dialog(page).getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('No open enrolments')).toBeVisible();
  await page.getByText('All', { exact: true }).click();
  await expect(rows.filter({ hasText: 'web-3' })).toContainText('Revoked');
  await expect(rows.filter({ hasText: 'web-2' })).toContainText('Registered, login failed');
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [1440, 'dark'],
    [420, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await takeScreenshot(page, `enrol-6-all-${width}-${colorScheme}`);
    await expectAccessible(page);
  }
});
