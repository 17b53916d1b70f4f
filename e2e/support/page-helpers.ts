import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Browser, expect, type Locator, type Page } from '@playwright/test';
import type { Credentials } from './api.js';
import { closeWithStage } from './open-contexts.js';
import type { Runward } from './runward.js';
import { slowDownRequests } from './slow-network.js';

const SCREENSHOTS = resolve(import.meta.dirname, '../artifacts/screenshots');
mkdirSync(SCREENSHOTS, { recursive: true });

/** Saves a screenshot, if pictures are requested: drawing takes a tenth of a test's time. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.E2E_PICTURES) return;
  await page.screenshot({ path: resolve(SCREENSHOTS, `${name}.png`) });
}

export async function signIn(page: Page, runward: Runward): Promise<void> {
  await slowDownRequests(page.context());
  await page.goto(`${runward.url}/login`);
  await page.getByLabel('E-mail address').fill(runward.email);
  await page.getByLabel(/^Password/).fill(runward.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Overview', level: 1 })).toBeVisible();
}

/** Signs a user in and returns a page in a separate browser context. */
export async function openPageAs(browser: Browser, runward: Runward, who: Credentials): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB' });
  closeWithStage(context);
  const page = await context.newPage();
  await signIn(page, { ...runward, ...who });
  return page;
}

export const menuItem = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

export async function choose(place: Page | Locator, label: string | RegExp, option: string): Promise<void> {
  await place.getByRole('combobox', { name: label }).click();
  const page = 'page' in place ? place.page() : place;
  await page.getByRole('option', { name: option }).click();
}

/**
 * Collects console errors of the page. Ignores the 401 of the sign-in page. Also ignores requests that Chromium drops
 * when a network interface of the machine appears or disappears.
 */
export function collectConsoleErrors(page: Page): string[] {
  const consoleErrors: string[] = [];
  page.on('pageerror', (error) => consoleErrors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/401|ERR_NETWORK_CHANGED/.test(message.text()))
      consoleErrors.push(message.text());
  });
  return consoleErrors;
}
