import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { collectConsoleErrors, openFromMenu, signIn, takeScreenshot } from '../support/page-helpers.js';
import { type Runward, startRunward } from '../support/runward.js';

let runward: Runward;

test.beforeAll(async () => {
  runward = await startRunward();
  const call = await apiOf(runward);
  for (const name of ['Deploy shop', 'Back up databases'])
    await call('POST', '/api/plans', { name, steps: [{ key: 'one', command: 'true' }] });
});
test.afterAll(() => runward?.stop());

test('without a connection the dashboard says so, retries, and continues', async ({ page, context }) => {
  await signIn(page, runward);
  await page.waitForLoadState('networkidle');
  const notice = page.getByText('No connection to the server. Retrying…');

  await context.setOffline(true);
  await expect(notice).toBeVisible();
  await takeScreenshot(page, 'offline-notice');
  await context.setOffline(false);
  await expect(notice).toBeHidden();
});

test('a page whose scripts are missing waits for the connection, or offers the new version', async ({ page }) => {
  await signIn(page, runward);
  await page.waitForLoadState('networkidle');

  await test.step('the server does not respond', async () => {
    await page.route('**/assets/**', (route) => route.abort('connectionrefused'));
    await page.route('**/api/health/live', (route) => route.abort('connectionrefused'));
    await openFromMenu(page, 'Audit trail');
    await expect(page.getByText('The server does not respond. Retrying every 3 seconds.')).toBeVisible();
    await expectAccessible(page);
    await takeScreenshot(page, 'page-without-connection');
    await page.unroute('**/assets/**');
    await page.unroute('**/api/health/live');
    await expect(page.getByRole('heading', { name: 'Audit trail', level: 1 })).toBeVisible();
  });

  await test.step('an upgrade has removed the scripts', async () => {
    await page.route('**/assets/**', (route) => route.fulfill({ status: 404, body: '' }));
    await openFromMenu(page, 'Retention');
    await expect(page.getByText('A new version is available')).toBeVisible();
    await page.unroute('**/assets/**');
    await page.getByRole('button', { name: 'Reload' }).click();
    await expect(page.getByRole('heading', { name: 'Retention', level: 1 })).toBeVisible();
  });
});

test('tables keep the density that a member has chosen', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, runward);
  await openFromMenu(page, 'Plans');
  const row = page.getByRole('row', { name: /Deploy shop/ });
  const heightOf = async () => (await row.boundingBox())?.height ?? 0;
  await expect(row).toBeVisible();
  const comfortable = await heightOf();

  await page.getByRole('button', { name: /account of/ }).click();
  await page.getByRole('menuitemradio', { name: 'Compact' }).click();
  await expect.poll(heightOf).toBeLessThan(comfortable);
  await page.getByRole('menuitem', { name: 'API tokens' }).click();
  await expect(page.getByRole('menu')).toBeHidden();
  await openFromMenu(page, 'Plans');
  await page.reload();
  await expect.poll(heightOf).toBeLessThan(comfortable);
  await takeScreenshot(page, 'compact-plans');
  await expectAccessible(page);
  expect(consoleErrors).toEqual([]);
});

test('browser notifications are off until a member turns them on', async ({ page }) => {
  // The browser of the tests refuses notifications without a question.
  await page.addInitScript(() => {
    let permission: NotificationPermission = sessionStorage.getItem('allowed') === 'yes' ? 'granted' : 'default';
    Object.defineProperty(Notification, 'permission', { get: () => permission });
    Notification.requestPermission = () => {
      sessionStorage.setItem('allowed', 'yes');
      permission = 'granted';
      return Promise.resolve(permission);
    };
  });
  await signIn(page, runward);
  await page.goto(`${runward.url}/settings/sessions`);
  const ended = page.getByRole('switch', { name: 'My run ended' });
  await expect(ended).not.toBeChecked();
  await ended.click();
  await expect(ended).toBeChecked();
  await page.reload();
  await expect(ended).toBeChecked();
  await expect(page.getByRole('switch', { name: 'Something waits for me' })).not.toBeChecked();
  await expectAccessible(page);
  await takeScreenshot(page, 'browser-notifications');
});
