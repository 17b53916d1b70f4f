import { expect, type Page, test } from '@playwright/test';
import { sshAuthority } from '../../backend/test/support/ssh-authority.js';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type Call } from '../support/api.js';
import { registerServers } from '../support/fleet-in-runward.js';
import { type KeyFleet, startKeyFleet } from '../support/key-fleet.js';
import { type Runward, startRunward } from '../support/runward.js';
import { collectConsoleErrors, openFromMenu, openPageAs, takeScreenshot } from '../support/page-helpers.js';

const OPERATOR = { email: 'ada@e2e.test', name: 'Ada Operator', role: 'operator', password: 'long enough to be one' };
const OTHER_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy';
const ADDRESSES = ['127.0.5.1', '127.0.5.2', '127.0.5.3'];
const [, SECOND = ''] = ADDRESSES;

let runward: Runward;
let fleet: KeyFleet;
let call: Call;
let oldLine: string;

test.beforeAll(async () => {
  [runward, fleet] = await Promise.all([startRunward(), startKeyFleet(ADDRESSES)]);
  call = await apiOf(runward);
  await call('POST', '/api/members', OPERATOR);
  const { id: environmentId } = await call('POST', '/api/environments', { name: 'staging' });
  const key = await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  oldLine = `${key.publicKey}\n`;
  for (const address of ADDRESSES) await fleet.writeKeys(address, oldLine);
  // One host has lost the key, and one is unreachable.
  await fleet.writeKeys(SECOND, '# nobody\n');
  await registerServers(call, fleet, { sshKeyId: key.id, environmentId, addresses: ADDRESSES });
  await call('POST', '/api/inventory/servers', {
    ...{
      name: 'gone-1',
      hostname: '127.0.5.9',
      port: fleet.port,
      username: fleet.user,
      sshKeyId: key.id,
      environmentId,
    },
    hostKey: { publicKey: OTHER_KEY },
  });
});
test.afterAll(async () => {
  await runward?.stop();
  await fleet?.end();
});

const dialog = (page: Page) => page.getByRole('dialog');
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const state = (page: Page) => page.getByTestId('rotation-state').first();

test('a key is rotated with live progress; failed hosts are retried or given up', async ({ browser }) => {
  const page = await openPageAs(browser, runward, OPERATOR);
  const consoleErrors = collectConsoleErrors(page);

  await test.step('its page shows where it is used, and the dialog what will happen', async () => {
    await openFromMenu(page, 'SSH keys');
    await page.getByRole('link', { name: 'deploy', exact: true }).click();
    await expect(page.getByRole('link', { name: 'gone-1' })).toBeVisible();
    await expect(page.getByText('No rotations of this key')).toBeVisible();
    await takeScreenshot(page, 'rotation-1-key');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await expect(dialog(page)).toContainText('4 servers');
    await takeScreenshot(page, 'rotation-2-dialog');
    await expectAccessible(page);
    await dialog(page).getByText('Import', { exact: true }).click();
    await dialog(page).getByRole('textbox', { name: 'Private key' }).fill('no key');
    await dialog(page).getByRole('button', { name: 'Rotate key' }).click();
    await expect(dialog(page).getByRole('textbox', { name: 'Private key' })).toHaveAttribute('aria-invalid', 'true');
    await dialog(page).getByText('Generate', { exact: true }).click();
    await dialog(page).getByRole('button', { name: 'Rotate key' }).click();
    await expect(page.getByRole('heading', { name: 'Rotation of deploy', level: 1 })).toBeVisible();
  });

  await test.step('the hosts show their progress, and failed ones the reason', async () => {
    await expect(row(page, 'web-2')).toContainText('Failed');
    await expect(row(page, 'gone-1')).toContainText('Failed');
    await expect(row(page, 'web-1')).toContainText('New key works');
    await expect(state(page)).toContainText('Hosts failed');
    await expect(page.getByText('The rotation stays open until you retry')).toBeVisible();
    await takeScreenshot(page, 'rotation-3-failed');
    await expectAccessible(page);
    await page.getByText(/^Failed \d/).click();
    await expect(page).toHaveURL(/state=failed/);
    await expect(row(page, 'web-1')).toHaveCount(0);
    await expect(row(page, 'web-2')).toBeVisible();
    await page.getByText(/^All 4/).click();
  });

  await test.step('a repaired host is retried', async () => {
    await fleet.writeKeys(SECOND, oldLine);
    await page.getByRole('button', { name: 'Retry: web-2' }).click();
    await expect(row(page, 'web-2')).toContainText('New key works');
  });

  await test.step('the key and its servers link to the rotation, which can’t be started twice', async () => {
    await page.getByRole('link', { name: 'web-1', exact: true }).click();
    await page.getByRole('link', { name: 'rotating' }).click();
    await expect(page.getByRole('heading', { name: 'Rotation of deploy', level: 1 })).toBeVisible();
    await expect(row(page, 'web-1')).toBeVisible();
    await expect(row(page, 'web-2')).toHaveCount(0);
    await openFromMenu(page, 'SSH keys');
    await expect(page.getByRole('link', { name: 'Rotating' })).toHaveCount(2);
    await page.getByRole('link', { name: 'deploy', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Rotate', exact: true })).toHaveAttribute('aria-disabled', 'true');
    await page.getByRole('link', { name: 'Show rotation' }).click();
  });

  await test.step('the missing host is given up with a reason, and the rotation ends', async () => {
    await page.getByRole('button', { name: 'Give up failed hosts' }).click();
    await dialog(page).getByRole('button', { name: 'Give up' }).click();
    await expect(dialog(page)).toContainText('Enter a reason.');
    await dialog(page).getByRole('textbox', { name: 'Reason' }).fill('The host was scrapped.');
    await takeScreenshot(page, 'rotation-4-give-up');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Give up' }).click();
    await expect(state(page)).toContainText('Ended, hosts given up');
    await expect(row(page, 'web-1')).toContainText('Done');
    await expect(row(page, 'gone-1')).toContainText('Given up');
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [1440, 'dark'],
      [420, 'light'],
      [420, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await takeScreenshot(page, `rotation-5-over-${width}-${colorScheme}`);
      await expectAccessible(page);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const address of ADDRESSES) expect(await fleet.keysOn(address)).not.toContain(oldLine.trim());
    await page.getByRole('link', { name: 'Rotations', exact: true }).click();
    await expect(page.getByRole('row').filter({ hasText: 'Ada Operator' })).toContainText('3 of 4 hosts done');
  });
  // The browser logs each refusal as an error. One text was not a valid key.
  expect(consoleErrors.filter((text) => !text.includes('status of 400'))).toEqual([]);
});

test('a certificate of a key is set, shown and removed', async ({ browser }) => {
  const key = await call('POST', '/api/ssh-keys', { name: 'signed', generate: { type: 'ed25519' } });
  const authority = sshAuthority('ed25519');
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  const page = await openPageAs(browser, runward, OPERATOR);
  await page.goto(`${runward.url}/keys/${key.id}`);
  const panel = page.getByRole('region', { name: 'Certificate' });
  const field = dialog(page).getByRole('textbox', { name: 'Certificate' });
  await panel.getByRole('button', { name: 'Add certificate' }).click();
  await field.fill(key.publicKey ?? '');
  await dialog(page).getByRole('button', { name: 'Add certificate' }).click();
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await takeScreenshot(page, 'certificate-1-refused');
  await expectAccessible(page);
  await field.fill(
    authority.certify(key.publicKey ?? '', {
      principals: ['deploy', 'backup'],
      validFrom: inDays(-1),
      validUntil: inDays(5),
    }),
  );
  await dialog(page).getByRole('button', { name: 'Add certificate' }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(panel).toContainText('Expires soon');
  await expect(panel).toContainText('deploy, backup');
  await expect(panel).toContainText('4711');
  await expect(panel).toContainText(authority.fingerprint);
  await takeScreenshot(page, 'certificate-2-shown');
  await expectAccessible(page);
  await openFromMenu(page, 'SSH keys');
  await expect(page.getByRole('row').filter({ hasText: 'signed' })).toContainText('Certificate expires soon');
  await page.getByRole('link', { name: 'signed', exact: true }).click();
  await panel.getByRole('button', { name: 'Remove' }).click();
  await dialog(page).getByRole('button', { name: 'Remove certificate' }).click();
  await expect(panel.getByRole('button', { name: 'Add certificate' })).toBeVisible();
});
