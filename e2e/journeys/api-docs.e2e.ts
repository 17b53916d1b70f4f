import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { collectConsoleErrors, signIn, takeScreenshot } from '../support/page-helpers.js';
import { type BareStage, startBareStage } from '../support/stage.js';

let stage: BareStage;

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.9.2']);
});
test.afterAll(() => stage?.end());

const LOOKS = [
  ['light', 1440],
  ['dark', 1440],
  ['light', 390],
  ['dark', 390],
] as const;

test('the documentation page is searched, read and copied from with the keyboard', async ({ page, context }) => {
  const consoleErrors = collectConsoleErrors(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await signIn(page, stage.runward);
  const look = async (name: string) => {
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 860 });
      await expectAccessible(page);
      await takeScreenshot(page, `api-docs-${name}-${colorScheme}-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 860 });
  };

  await test.step('each block of code has a copy button', async () => {
    await page.goto(`${stage.runward.url}/api/docs`);
    await expect(page.getByRole('heading', { name: 'Runward API', level: 1 })).toBeVisible();
    const blocks = await page.locator('.guide pre').count();
    expect(blocks).toBeGreaterThan(7);
    await expect(page.locator('.guide').getByRole('button', { name: 'Copy' })).toHaveCount(blocks);
    await page.locator('.guide').getByRole('button', { name: 'Copy' }).first().press('Enter');
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${stage.runward.url}`);
    await look('guide');
  });

  await test.step('the downloads of the guide exist', async () => {
    for (const link of await page.locator('.guide a[download]').all()) {
      const answer = await page.request.get(stage.runward.url + (await link.getAttribute('href')));
      expect(answer.status()).toBe(200);
    }
  });

  await test.step('search finds an operation by a field of its body', async () => {
    await page.keyboard.press('/');
    const dialog = page.getByRole('dialog', { name: 'Search operations' });
    await expect(dialog.getByRole('textbox')).toBeFocused();
    await dialog.getByRole('textbox').fill('planId execution_mode expectedDigest');
    await expect(dialog.getByRole('status')).toHaveText(/^Operations found: [1-9]\d*\.$/);
    await look('search');
    await page.keyboard.press('Tab');
    await expect(dialog.getByRole('link').first()).toBeFocused();
    await dialog.getByRole('link', { name: /POST \/api\/executions$/ }).press('Enter');
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('heading', { name: 'Start a run' })).toBeVisible();
    await page.getByRole('button', { name: 'Search' }).press('Enter');
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
  });

  await test.step('authentication has a heading', async () => {
    await page.goto(`${stage.runward.url}/api/docs#?route=auth`);
    await expect(page.getByRole('heading', { name: 'Authentication', level: 1 })).toBeVisible();
    await look('authentication');
  });

  await test.step('a narrow screen has a menu of all sections', async () => {
    await page.setViewportSize({ width: 390, height: 860 });
    await page.goto(`${stage.runward.url}/api/docs`);
    const menu = page.locator('summary', { hasText: 'Menu' });
    await menu.press('Enter');
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await expect(sections.getByRole('link').first()).toBeInViewport({ ratio: 1 });
    const names = await sections.getByRole('link').allTextContents();
    expect(new Set(names).size).toBe(names.length);
    await expectAccessible(page);
    await takeScreenshot(page, 'api-docs-menu-390');
    await sections.getByRole('link', { name: 'Schedules' }).press('Enter');
    await expect(sections).toBeHidden();
    await expect(page.getByRole('heading', { name: 'Schedules', exact: true })).toBeInViewport();
    await menu.press('Enter');
    await page.keyboard.press('Escape');
    await expect(sections).toBeHidden();
    await expect(menu).toBeFocused();
  });
  expect(consoleErrors).toEqual([]);
});
