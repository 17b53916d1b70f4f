import { expect, test } from '@playwright/test';
import { type Runward, startRunward } from '../support/runward.js';
import { collectConsoleErrors, menuItem, openFromMenu, takeScreenshot, signIn } from '../support/page-helpers.js';

let runward: Runward;

test.beforeAll(async () => {
  runward = await startRunward();
});
test.afterAll(() => runward?.stop());

test('a new colleague signs in, sees what the role allows, and leaves a valid audit trail', async ({
  page,
  browser,
}) => {
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, runward);

  const link = await test.step('the admin adds a viewer and hands over a link that is shown once', async () => {
    await openFromMenu(page, 'Members');
    await page.getByRole('button', { name: 'New member' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^E-mail/).fill('ana@e2e.test');
    await dialog.getByLabel(/^Name/).fill('Ana');
    await dialog.getByRole('button', { name: 'Add member and show link' }).click();
    const linkField = dialog.getByLabel('link', { exact: true });
    await expect(linkField).toBeVisible();
    await takeScreenshot(page, 'colleague-1-link');
    return (await linkField.textContent()) ?? '';
  });

  const anasContext = await browser.newContext({ locale: 'en-GB' });
  const ana = await anasContext.newPage();
  await test.step('she sets her password and signs in', async () => {
    await ana.goto(link.trim());
    await ana
      .getByLabel(/^New password/)
      .first()
      .fill('a password of her own');
    await ana.getByLabel(/again|repeat/i).fill('a password of her own');
    await ana.getByRole('button', { name: 'Set password' }).click();
    await expect(ana.getByRole('status').filter({ hasText: 'password' })).toBeVisible();
    await ana.goto(`${runward.url}/login`);
    await signIn(ana, { ...runward, email: 'ana@e2e.test', password: 'a password of her own' });
  });

  await test.step('a control that her role does not allow names the required role', async () => {
    await openFromMenu(ana, 'Environments');
    await expect(ana.getByRole('button', { name: 'New environment' }).first()).toHaveAttribute('aria-disabled', 'true');
    await ana.getByRole('button', { name: 'New environment' }).first().hover({ force: true });
    await expect(ana.getByText(/needs the Operator role/i).first()).toBeVisible();
    await takeScreenshot(ana, 'colleague-2-viewer');
    await openFromMenu(ana, 'Settings');
    await expect(menuItem(ana, 'Notifications')).toBeVisible();
    await expect(menuItem(ana, 'Members')).toHaveCount(0);
  });

  await test.step('the audit trail records all of it and is intact', async () => {
    await page.goto(`${runward.url}/audit`);
    await expect(page.getByRole('listitem').filter({ hasText: 'ana@e2e.test' }).first()).toBeVisible();
    await page.getByRole('button', { name: 'Verify hash chain' }).click();
    await expect(page.getByText(/intact/i).first()).toBeVisible();
    await takeScreenshot(page, 'colleague-3-audit');
  });

  await anasContext.close();
  expect(consoleErrors).toEqual([]);
});
