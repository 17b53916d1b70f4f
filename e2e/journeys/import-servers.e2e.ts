import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type Runward, startRunward } from '../support/runward.js';
import { choose, collectConsoleErrors, openFromMenu, openPageAs, takeScreenshot } from '../support/page-helpers.js';

const OPERATOR = { email: 'ada@e2e.test', name: 'Ada Operator', role: 'operator', password: 'long enough to be one' };
const INVENTORY = `[web]
web-[1:3] ansible_user=deploy
db-1 ansible_host=10.0.0.9 ansible_user=deploy ansible_port=2222

[web:vars]
ansible_password=never
`;

let runward: Runward;

test.beforeAll(async () => {
  runward = await startRunward();
  const call = await apiOf(runward);
  await call('POST', '/api/environments', { name: 'staging' });
  await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  await call('POST', '/api/members', OPERATOR);
});
test.afterAll(() => runward?.stop());

const text = (page: Page) => page.getByLabel(/^Inventory text/);
const preview = (page: Page) => page.getByRole('button', { name: 'Preview' });
const entries = (page: Page) => page.getByRole('table', { name: 'Import actions' });
/** Excludes the row of column headings, which has no cells. */
const rows = (page: Page) =>
  entries(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });

test('servers are imported from an inventory after a preview', async ({ browser }) => {
  const page = await openPageAs(browser, runward, OPERATOR);
  const consoleErrors = collectConsoleErrors(page);

  await test.step('an invalid text names line and entry, and links to them', async () => {
    await openFromMenu(page, 'Servers');
    await page.getByRole('link', { name: 'Import servers' }).first().click();
    await expect(page.getByRole('heading', { name: 'Import servers', level: 1 })).toBeVisible();
    await text(page).fill(INVENTORY.replace('2222', 'many'));
    await expect(page.getByRole('combobox', { name: /^Format/ })).toHaveValue('Ansible inventory, INI');
    await choose(page, /^Environment/, 'staging');
    await choose(page, /^SSH key/, 'deploy');
    await preview(page).click();
    const faults = page.getByRole('list', { name: 'Errors' });
    await expect(faults).toContainText('Line 3, db-1');
    await faults.getByRole('button', { name: 'Line 3, db-1' }).click();
    await expect(text(page)).toBeFocused();
    const selected = await text(page).evaluate((field: HTMLTextAreaElement) =>
      field.value.slice(field.selectionStart, field.selectionEnd),
    );
    expect(selected).toContain('ansible_port=many');
    await takeScreenshot(page, 'import-1-faults');
    await expectAccessible(page);
  });

  await test.step('the preview shows each server, and the parts that are not imported', async () => {
    await text(page).fill(INVENTORY);
    await preview(page).click();
    await expect(page.getByTestId('import-state')).toHaveText('Preview ready');
    await expect(page).toHaveURL(/\/servers\/import\?import=[0-9a-f-]{36}$/);
    await expect(rows(page)).toHaveCount(4);
    await expect(rows(page).filter({ hasText: 'db-1' })).toContainText('New');
    await expect(rows(page).filter({ hasText: 'db-1' })).toContainText('address: 10.0.0.9');
    await page.getByRole('button', { name: /of the text cannot be imported/ }).click();
    await expect(page.getByRole('list', { name: 'Not imported' })).toContainText('ansible_password');
    await page.reload();
    await expect(rows(page)).toHaveCount(4);
    await takeScreenshot(page, 'import-2-preview');
    await expectAccessible(page);
  });

  await test.step('after applying, its servers exist', async () => {
    await page.getByRole('button', { name: 'Import 4 servers' }).click();
    await expect(page.getByTestId('import-state')).toHaveText('Imported');
    await takeScreenshot(page, 'import-3-result');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Servers of staging' }).click();
    for (const name of ['web-1', 'web-2', 'web-3', 'db-1'])
      await expect(page.getByRole('cell', { name: new RegExp(`^${name}`) })).toBeVisible();
  });

  await test.step('the same text with another address changes one server', async () => {
    await page.getByRole('link', { name: 'Import servers' }).first().click();
    await text(page).fill(INVENTORY.replace('10.0.0.9', '10.0.0.10'));
    await preview(page).click();
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText('address: 10.0.0.9 → 10.0.0.10');
    await page.getByText('Unchanged 3', { exact: true }).click();
    await expect(page).toHaveURL(/action=leave/);
    await expect(rows(page)).toHaveCount(3);
    await page.getByRole('button', { name: 'Edit text' }).click();
    await expect(text(page)).toHaveValue(/10\.0\.0\.10/);
    await page.goBack();
    await page.getByRole('button', { name: 'Import 1 server' }).click();
    await expect(page.getByTestId('import-state')).toHaveText('Imported');
    await expect(page.getByRole('status').filter({ hasText: 'Done: 1 changed, 3 unchanged.' })).toBeVisible();
    await takeScreenshot(page, 'import-4-one-change');
  });

  await test.step('past imports can be opened again', async () => {
    await page.getByRole('link', { name: 'Past imports' }).click();
    await expect(page.getByRole('row').filter({ hasText: 'Imported' })).toHaveCount(2);
    await expect(page.getByRole('row').filter({ hasText: 'Preview ready' })).toHaveCount(2);
    await takeScreenshot(page, 'import-5-past');
    await expectAccessible(page);
    await page.getByRole('row').filter({ hasText: 'Imported' }).last().getByRole('link').click();
    await expect(rows(page)).toHaveCount(4);
  });
  expect(consoleErrors.filter((complaint) => !complaint.includes('400'))).toEqual([]);
});
