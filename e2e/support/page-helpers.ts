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

/** Areas of the menu, with the pages that are visible while the area is open. */
const MENU_AREAS: Readonly<Record<string, readonly string[]>> = {
  Plans: ['All plans', 'Schedules', 'Scripts', 'Templates', 'Git sources'],
  Fleet: ['Servers', 'Environments', 'SSH keys'],
  Settings: [
    ...['Members', 'Service accounts', 'Trust rules', 'Notifications', 'Webhooks', 'Retention', 'Audit trail'],
  ],
};

export const menuItem = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });

/** Opens an area or a page by the menu. */
export async function openFromMenu(page: Page, name: string): Promise<void> {
  const area = Object.keys(MENU_AREAS).find((each) => MENU_AREAS[each]?.includes(name));
  if (area && !(await menuItem(page, name).isVisible())) await menuItem(page, area).click();
  await menuItem(page, name).click();
}

/** Opens the editor of a plan from its outline. */
export const openPlanEditor = (page: Page): Promise<void> =>
  page.getByRole('tab', { name: 'Edit', exact: true }).click();

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

/**
 * Returns texts that end outside of an element that cuts them, so that they cannot be read. A cut with an ellipsis and
 * an element that scrolls are no fault.
 */
export const findCutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const cuts: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const { left, right, width } = range.getBoundingClientRect();
      if (width < 2 || !node.parentElement?.checkVisibility()) continue;
      for (let box: Element | null = node.parentElement; box; box = box.parentElement) {
        const { overflowX, textOverflow, position } = getComputedStyle(box);
        if (textOverflow === 'ellipsis' || overflowX === 'auto' || overflowX === 'scroll' || position === 'fixed')
          break;
        if (overflowX === 'visible') continue;
        const edge = box.getBoundingClientRect();
        // A box of one pixel hides its text from all but screen readers.
        if (edge.width < 2) break;
        if (right > edge.right + 1 || left < edge.left - 1) cuts.push(node.textContent?.slice(0, 80) ?? '');
        break;
      }
    }
    return cuts;
  });

/**
 * Returns texts that end in an ellipsis and have no title with the whole text. The application adds the title when the
 * pointer comes over the text, so this moves it there.
 */
export const findTextsWithoutTitle = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.body.querySelectorAll<HTMLElement>('*')]
      .filter((box) => {
        const { textOverflow, webkitLineClamp } = getComputedStyle(box);
        if (textOverflow !== 'ellipsis' || !box.checkVisibility() || box.clientWidth < 2) return false;
        const hasCutLines = webkitLineClamp !== 'none' && box.scrollHeight > box.clientHeight + 1;
        if (box.scrollWidth <= box.clientWidth + 1 && !hasCutLines) return false;
        box.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
        return box.closest('[title]') === null;
      })
      .map((box) => `${box.tagName} ${box.className}: ${box.textContent?.slice(0, 60)}`),
  );
