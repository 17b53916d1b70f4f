import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Browser, expect, type Locator, type Page } from '@playwright/test';
import type { Credentials } from './api.js';
import { closeWithStage } from './open-contexts.js';
import type { Runward } from './runward.js';
import { slowDown } from './slow-network.js';

const SCREENSHOTS = resolve(import.meta.dirname, '../artifacts/screenshots');
mkdirSync(SCREENSHOTS, { recursive: true });

/** Keeps a picture of the page as it is now, if they were asked for: drawing them takes a tenth of a story's time. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.E2E_PICTURES) return;
  await page.screenshot({ path: resolve(SCREENSHOTS, `${name}.png`) });
}

/** Signs in by the form. */
export async function signIn(page: Page, runward: Runward): Promise<void> {
  await slowDown(page.context());
  await page.goto(`${runward.url}/login`);
  await page.getByLabel('E-mail address').fill(runward.email);
  await page.getByLabel(/^Password/).fill(runward.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
}

/** A page of somebody else's own browser, signed in. */
export async function pageOf(browser: Browser, runward: Runward, who: Credentials): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB' });
  closeWithStage(context);
  const page = await context.newPage();
  await signIn(page, { ...runward, ...who });
  return page;
}

/** A link of the main menu. */
export const inMenu = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

/** Chooses an option of a select by its label. */
export async function choose(place: Page | Locator, label: string | RegExp, option: string): Promise<void> {
  await place.getByRole('combobox', { name: label }).click();
  const page = 'page' in place ? place.page() : place;
  await page.getByRole('option', { name: option }).click();
}

/**
 * Gathers what the page complains about in its console. The sign-in page may ask who is signed in and hear 401, and
 * Chromium drops what it loads when an interface of the machine comes or goes, whoever's it is.
 */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/401|ERR_NETWORK_CHANGED/.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
