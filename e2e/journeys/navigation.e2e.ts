import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type Call } from '../support/api.js';
import {
  collectConsoleErrors,
  menuItem,
  openFromMenu,
  openPageAs,
  signIn,
  takeScreenshot,
} from '../support/page-helpers.js';
import { type Runward, startRunward } from '../support/runward.js';

let runward: Runward;
let call: Call;

test.beforeAll(async () => {
  runward = await startRunward();
  call = await apiOf(runward);
  for (const name of ['staging', 'production']) await call('POST', '/api/environments', { name });
  for (const name of ['Deploy shop', 'Back up databases'])
    await call('POST', '/api/plans', { name, steps: [{ key: 'one', command: 'true' }] });
});
test.afterAll(() => runward?.stop());

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search, or run something' });
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(palette(page).getByRole('combobox')).toBeFocused();
}
const environments = (page: Page) => page.getByRole('combobox', { name: 'Limit lists to' });

test('five areas, the palette and favourites lead to every page, and lists keep the chosen environment', async ({
  page,
  browser,
}) => {
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, runward);

  await test.step('the open area shows its pages', async () => {
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await expect(links).toHaveText(['Overview', 'Runs', 'Plans', 'Fleet', 'Settings']);
    await openFromMenu(page, 'Schedules');
    await expect(page.getByRole('heading', { name: 'Schedules', level: 1 })).toBeVisible();
    await expect(menuItem(page, 'Schedules')).toHaveAttribute('aria-current', 'page');
    await expect(menuItem(page, 'Servers')).toHaveCount(0);
  });

  await test.step('an environment chosen once limits the lists that the menu opens', async () => {
    await environments(page).click();
    await page.getByRole('option', { name: 'staging' }).click();
    await expect(page).toHaveURL(/\/schedules\?environment=/);
    await openFromMenu(page, 'Runs');
    await expect(page).toHaveURL(/\/executions\?environment=/);
    await openFromMenu(page, 'SSH keys');
    await openFromMenu(page, 'Servers');
    await expect(page).toHaveURL(/\/servers\?environment=/);
    await expect(environments(page)).toHaveValue('staging');
    await environments(page).click();
    await page.getByRole('option', { name: 'All environments' }).click();
    await expect(page).toHaveURL(/\/servers$/);
  });

  await test.step('a chosen environment that was deleted limits no list', async () => {
    const { id } = await call('POST', '/api/environments', { name: 'lab' });
    await page.reload();
    await environments(page).click();
    await page.getByRole('option', { name: 'lab' }).click();
    await expect(page).toHaveURL(/\/servers\?environment=/);
    await openFromMenu(page, 'SSH keys');
    await call('DELETE', `/api/environments/${id}`);
    await page.reload();
    await expect(environments(page)).toHaveValue('All environments');
    await openFromMenu(page, 'Servers');
    await expect(page).toHaveURL(/\/servers$/);
  });

  await test.step('the palette starts a plan in an environment by keyboard alone', async () => {
    await openPalette(page);
    await expect(palette(page).getByRole('option').first()).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.type('run deploy in prod');
    const start = palette(page).getByRole('option', { name: 'Run Deploy shop in production' });
    await expect(start).toHaveAttribute('data-combobox-selected', 'true');
    await takeScreenshot(page, 'navigation-1-palette');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Run Deploy shop' });
    await expect(dialog.getByRole('combobox', { name: 'Environment' })).toHaveValue('production');
    await dialog.getByRole('button', { name: 'Close' }).last().click();
  });

  await test.step('the palette opens pages and records, and remembers the latest ones', async () => {
    await openPalette(page);
    await page.keyboard.type('back up');
    await expect(palette(page).getByRole('option', { name: 'Back up databases' })).toHaveAttribute(
      'data-combobox-selected',
      'true',
    );
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Back up databases' })).toBeVisible();
    await openPalette(page);
    await page.keyboard.type('audit');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { name: 'Audit trail' })).toBeVisible();
    await openPalette(page);
    await expect(palette(page).getByRole('option').first()).toHaveText('Back up databases');
    await page.keyboard.press('Escape');
    await expect(palette(page)).toHaveCount(0);
  });

  await test.step('favourites and saved filters follow the member into another browser', async () => {
    await page.goBack();
    await page.getByRole('button', { name: 'Add to favourites' }).click();
    await expect(menuItem(page, 'Back up databases')).toBeVisible();
    await openFromMenu(page, 'Runs');
    await page.getByRole('button', { name: 'Waiting for you' }).or(page.getByText('Waiting for you')).first().click();
    await expect(page).toHaveURL(/awaiting=me/);
    await page.getByRole('button', { name: 'Saved filters' }).click();
    await page.getByLabel('Save current filters as').fill('Mine to decide');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('link', { name: 'Mine to decide' })).toBeVisible();
    await expectAccessible(page);
    await takeScreenshot(page, 'navigation-2-saved');

    const elsewhere = await openPageAs(browser, runward, runward);
    await menuItem(elsewhere, 'Back up databases').click();
    await elsewhere.getByRole('button', { name: 'Remove from favourites' }).click();
    await expect(menuItem(elsewhere, 'Back up databases')).toHaveCount(0);
    await openFromMenu(elsewhere, 'Runs');
    await elsewhere.getByRole('button', { name: 'Saved filters' }).click();
    await elsewhere.getByRole('link', { name: 'Mine to decide' }).click();
    await expect(elsewhere).toHaveURL(/awaiting=me/);
  });

  await test.step('a question mark lists the shortcuts', async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Runs', level: 1 }).click();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Ctrl K');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
  });

  await test.step('on a phone the menu and the search open from the header', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await openFromMenu(page, 'Environments');
    await expect(page.getByRole('heading', { name: 'Environments', level: 1 })).toBeVisible();
    await page.getByRole('button', { name: 'Search, or run something' }).click();
    await page.keyboard.type('deploy');
    await expect(palette(page).getByRole('option', { name: 'Deploy shop' })).toBeVisible();
    await expectAccessible(page);
    await takeScreenshot(page, 'navigation-3-phone');
  });
  expect(consoleErrors).toEqual([]);
});
