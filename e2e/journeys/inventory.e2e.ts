import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type Call } from '../support/api.js';
import { freePort } from '../../backend/test/support/free-port.js';
import { type Runward, startRunward } from '../support/runward.js';
import { choose, collectConsoleErrors, openFromMenu, openPageAs, takeScreenshot } from '../support/page-helpers.js';

const OPERATOR = { email: 'ada@e2e.test', name: 'Ada Operator', role: 'operator', password: 'long enough to be one' };
const WEB = 260;

let runward: Runward;
let call: Call;
let closedPort: number;

test.beforeAll(async () => {
  runward = await startRunward();
  call = await apiOf(runward);
  closedPort = await freePort();
  const staging = await call('POST', '/api/environments', { name: 'staging' });
  const spare = await call('POST', '/api/environments', { name: 'spare' });
  const key = await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  await call('POST', '/api/members', OPERATOR);
  const names = Array.from({ length: WEB }, (_, index) => `web-${String(index + 1).padStart(3, '0')}`);
  const servers = [
    ...names.map((name) => ({ name, hostname: `${name}.internal`, username: 'deploy', tags: { role: 'web' } })),
    { name: 'db-1', hostname: '127.0.0.1', port: closedPort, username: 'deploy', tags: { role: 'db' } },
  ];
  const { id } = await call('POST', '/api/inventory/servers/import', {
    ...{ format: 'json', content: JSON.stringify(servers) },
    ...{ environmentId: staging.id, sshKeyId: key.id },
  });
  await expect
    .poll(async () => (await call<{ status: string }>('GET', `/api/inventory/imports/${id}?wait=20`)).status, {
      timeout: 60_000,
    })
    .toBe('succeeded');
  const twin = { name: 'twin', hostname: 'web-001.internal', username: 'deploy' };
  await call('POST', '/api/inventory/servers', { ...twin, sshKeyId: key.id, environmentId: spare.id });
});
test.afterAll(() => runward?.stop());

const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected servers' });
const dialog = (page: Page) => page.getByRole('dialog');

test('hundreds of servers are found, selected and changed together', async ({ browser }) => {
  const page = await openPageAs(browser, runward, OPERATOR);
  const consoleErrors = collectConsoleErrors(page);

  await test.step('all that match a filter get a tag, which is visible afterwards', async () => {
    await openFromMenu(page, 'Servers');
    await page.getByRole('textbox', { name: 'Selector' }).fill('role=web');
    await expect(page).toHaveURL(/selector=role/);
    await choose(page, 'Order', 'By name');
    await expect(page.getByText(`200 of ${WEB} servers loaded`)).toBeVisible();
    await page.getByRole('checkbox', { name: 'Select all loaded servers' }).click();
    await bar(page)
      .getByRole('button', { name: `Select all ${WEB} matching servers` })
      .click();
    await expect(bar(page)).toContainText(`All ${WEB} matching servers`);
    await takeScreenshot(page, 'inventory-1-selected');
    await expectAccessible(page);
    await bar(page).getByRole('button', { name: 'Tags' }).click();
    await dialog(page).getByRole('combobox', { name: 'Add' }).fill('team=shop');
    await dialog(page).getByRole('combobox', { name: 'Add' }).press('Enter');
    await dialog(page).getByRole('button', { name: 'Preview' }).click();
    await expect(dialog(page)).toContainText(`${WEB} servers to change`);
    await takeScreenshot(page, 'inventory-2-preview');
    await expectAccessible(page);
    await dialog(page)
      .getByRole('button', { name: `Change ${WEB} servers` })
      .click();
    await expect(dialog(page)).toHaveCount(0);
    await expect(bar(page)).toHaveCount(0);
    await expect(row(page, 'web-001')).toContainText('team=shop');
    await page.getByRole('textbox', { name: 'Selector' }).fill('team=shop');
    await expect(page).toHaveURL(/team/);
    await expect(page.getByText(`200 of ${WEB} servers loaded`)).toBeVisible();
  });

  await test.step('the list loads while scrolling, by keyboard too, and keeps its position after a visit to a server', async () => {
    await box(page, 'web-001').focus();
    await page.keyboard.press('ArrowDown');
    await expect(box(page, 'web-002')).toBeFocused();
    await page.keyboard.press('End');
    await expect(page.getByText(`${WEB} servers`, { exact: true })).toBeVisible();
    await page.keyboard.press('End');
    await expect(box(page, 'web-260')).toBeFocused();
    await page.getByRole('link', { name: 'web-260', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'web-260', level: 1 })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('link', { name: 'web-260', exact: true })).toBeInViewport();
  });

  await test.step('a range is selected with the shift key; refused servers have a reason, and the remaining ones are moved', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('textbox', { name: 'Selector' }).fill('name=web-00*');
    await expect(page.getByText('9 servers', { exact: true })).toBeVisible();
    await box(page, 'web-001').click();
    await box(page, 'web-004').click({ modifiers: ['Shift'] });
    await expect(bar(page)).toContainText('4 servers selected');
    await bar(page).getByRole('button', { name: 'Move' }).click();
    await choose(dialog(page), 'Environment', 'spare');
    await dialog(page).getByRole('button', { name: 'Preview' }).click();
    await expect(dialog(page)).toContainText('3 servers to change, 1 refused');
    const refused = dialog(page).getByRole('listitem').filter({ hasText: 'web-001' });
    await expect(refused).toContainText('"twin" already has this address, port and login in that environment.');
    await takeScreenshot(page, 'inventory-3-refused');
    await expectAccessible(page);
    await dialog(page).getByRole('button', { name: 'Move remaining 3' }).click();
    await expect(row(page, 'web-002')).toContainText('spare');
    await expect(row(page, 'web-001')).toContainText('staging');
  });

  await test.step('filters are saved under a name, and one click applies them again', async () => {
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByLabel('Save current filters as').fill('First web servers');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('link', { name: 'First web servers' })).toBeVisible();
    await takeScreenshot(page, 'inventory-4-saved');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    const address = page.url();
    await openFromMenu(page, 'Servers');
    await expect(page.getByText(`200 of ${WEB + 2} servers loaded`)).toBeVisible();
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByRole('link', { name: 'First web servers' }).click();
    await expect(page.getByText('9 servers', { exact: true })).toBeVisible();
    expect(new URL(page.url()).searchParams.get('selector')).toBe(new URL(address).searchParams.get('selector'));
    await page.reload();
    await expect(page.getByRole('button', { name: 'First web servers' })).toBeVisible();
  });
  expect(consoleErrors).toEqual([]);
});

test('the doctor says where the connection to a server fails, and what to do', async ({ browser }) => {
  const page = await openPageAs(browser, runward, OPERATOR);
  await page.goto(`${runward.url}/servers?q=db-1`);
  await page.getByRole('button', { name: 'Actions for db-1' }).click();
  await page.getByRole('menuitem', { name: 'Diagnose connection' }).click();
  await expect(dialog(page)).toContainText('Failed at: TCP connection');
  const steps = dialog(page).getByRole('list', { name: 'Steps' }).getByRole('listitem');
  await expect(steps).toHaveCount(8);
  await expect(steps.nth(1)).toContainText('refused the connection');
  await expect(steps.nth(1)).toContainText('Start the SSH server, or correct the port.');
  await expect(steps.nth(4)).toContainText('Skipped');
  await takeScreenshot(page, 'inventory-5-doctor');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Diagnose again' }).click();
  await expect(dialog(page)).toContainText('Failed at: TCP connection');
  await dialog(page).getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('link', { name: 'db-1', exact: true }).click();
  await expect(page.getByTestId('server-state')).toContainText('Unreachable');
  await expect(page.getByRole('button', { name: 'Diagnose connection' })).toBeVisible();
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 860 });
    await page.emulateMedia({ colorScheme });
    await takeScreenshot(page, `inventory-6-server-${width}-${colorScheme}`);
    await expectAccessible(page);
  }
  await page.getByRole('tab', { name: 'Host key' }).click();
  await expect(page).toHaveURL(/tab=host-key/);
  await expect(page.getByText('No host key yet')).toBeVisible();
  await page.getByRole('tab', { name: 'Runs' }).click();
  await expect(page.getByText('No runs yet')).toBeVisible();
  await page.goBack();
  await expect(page.getByText('No host key yet')).toBeVisible();
});

test('any number of servers is checked at once, and skipped ones have a reason', async ({ browser }) => {
  const key = await call('POST', '/api/ssh-keys', { name: 'many', generate: { type: 'ed25519' } });
  const environment = await call('POST', '/api/environments', { name: 'many' });
  const many = Array.from({ length: 60 }, (_, index) => ({
    ...{ name: `many-${index}`, hostname: `127.0.6.${index + 1}`, port: closedPort, username: 'deploy' },
    ...{ tags: { role: 'many' }, enabled: index > 0 },
  }));
  await call('POST', '/api/inventory/servers/import?wait=50', {
    ...{ format: 'json', content: JSON.stringify(many), environmentId: environment.id, sshKeyId: key.id },
  });
  const page = await openPageAs(browser, runward, OPERATOR);
  await page.goto(`${runward.url}/servers?selector=role%3Dmany&sort=name`);
  await expect(page.getByText('60 servers', { exact: true })).toBeVisible();
  await expect(row(page, 'many-1')).toContainText('Never checked');
  await page.getByRole('checkbox', { name: 'Select all loaded servers' }).click();
  await bar(page).getByRole('button', { name: 'Check' }).click();
  const checks = page.getByRole('region', { name: 'Checks' });
  await expect(checks).toContainText(/\d+ of 59 servers checked/);
  await expect(checks).toContainText('many-0: The server is disabled.');
  await expect(row(page, 'many-1')).toContainText('Unreachable', { timeout: 60_000 });
  await expect(checks).toContainText('59 servers checked: 59 Unreachable.', { timeout: 60_000 });
  await takeScreenshot(page, 'inventory-9-checks');
  await expectAccessible(page);
  await checks.getByRole('button', { name: 'Close' }).click();
  await expect(checks).toHaveCount(0);
});

test('a server shows its jump path, and who pinned its keys', async ({ browser }) => {
  const key = await call('POST', '/api/ssh-keys', { name: 'jump', generate: { type: 'ed25519' } });
  const environment = await call('POST', '/api/environments', { name: 'behind' });
  const usual = { username: 'deploy', sshKeyId: key.id, environmentId: environment.id };
  await call('POST', '/api/inventory/servers', { ...usual, name: 'bastion', hostname: 'edge.internal' });
  const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy';
  const fields = { ...usual, name: 'inner-1', hostname: '10.1.0.5' };
  const { id } = await call('POST', '/api/inventory/servers', { ...fields, hostKey: { publicKey } });
  const page = await openPageAs(browser, runward, OPERATOR);
  await page.goto(`${runward.url}/servers/${id}`);
  await expect(page.getByText('None (direct connection)')).toBeVisible();
  await page.getByRole('button', { name: 'Edit' }).click();
  const field = dialog(page).getByRole('combobox', { name: 'Jump server' });
  await field.fill('edge.int');
  await page.getByRole('option', { name: 'bastion (edge.internal)' }).click();
  await takeScreenshot(page, 'inventory-7-jump-server');
  await expectAccessible(page);
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('link', { name: 'bastion', exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Host key' }).click();
  await expect(page.getByText('No host key yet')).toBeVisible();
  await call('PUT', `/api/inventory/servers/${id}/host-keys`, { hostKeys: [{ publicKey }] });
  await page.reload();
  await expect(page.getByRole('row').filter({ hasText: 'Current' })).toContainText('set');
  await expect(page.getByRole('row').filter({ hasText: 'with the registration' })).toContainText(
    'address or jump server changed',
  );
  await takeScreenshot(page, 'inventory-8-pin-history');
  await expectAccessible(page);
});

for (const [width, colorScheme] of [
  [390, 'dark'],
  [900, 'light'],
  [1440, 'dark'],
] as const) {
  test(`the list is accessible, ${width} px wide in the ${colorScheme} theme`, async ({ browser }) => {
    const page = await openPageAs(browser, runward, OPERATOR);
    await page.setViewportSize({ width, height: 860 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${runward.url}/servers?sort=-name&selector=role=web`);
    await box(page, 'web-260').click();
    await expect(bar(page)).toContainText('1 server selected');
    await takeScreenshot(page, `inventory-7-list-${width}-${colorScheme}`);
    await expectAccessible(page);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
  });
}
