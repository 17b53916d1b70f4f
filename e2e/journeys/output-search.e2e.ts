import { expect, type Page, type Route, test } from '@playwright/test';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, signIn, takeScreenshot } from '../support/page-helpers.js';

let stage: Stage;
let runId: string;
const serverId = '00000000-0000-7000-8000-000000000001';

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.11', '127.0.4.12']);
  const steps = [
    {
      key: 'print',
      name: 'Print',
      command: 'seq -f "line %g" 1 30000; echo the Needle; echo done; echo a second needle',
    },
  ];
  runId = await stage.startRun(await stage.planOf('Print', steps));
  await stage.call('GET', `/api/executions/${runId}?wait=50&until=settled`);
});
test.afterAll(() => stage?.end());

/** Simulates a server with a gigabyte to search: records each request that counts hits, and responds on demand. */
async function delaySearches(page: Page) {
  const requests: { q: string; after: string | null; route: Route }[] = [];
  let heard: () => void = () => undefined;
  await page.route(`**/api/executions/${runId}/output/hits/counts?*`, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    requests.push({ q: query.get('q') ?? '', after: query.get('after'), route });
    heard();
  });
  return {
    requests,
    /** Returns the request with this index, from 0. */
    async request(number: number) {
      while (requests.length <= number) await new Promise<void>((resolve) => (heard = resolve));
      return requests[number] as (typeof requests)[number];
    },
  };
}

const counts = (hits: number, readPercent: number, nextAfter: string | null) => ({
  items: hits === 0 ? [] : [{ stepKey: 'print', serverId, serverName: 'web-1', hits }],
  ...{ hits, readPercent, nextAfter },
});

const output = (page: Page) => page.getByRole('region', { name: 'Output', exact: true });
const search = (page: Page) => output(page).getByRole('textbox', { name: 'Search output' });
const hits = (page: Page) => output(page).getByTestId('hit');
const marked = (page: Page) => output(page).getByRole('region', { name: 'Output lines' }).locator('mark');
const progress = (page: Page) => output(page).getByTestId('search-progress');

test.beforeEach(async ({ page }) => {
  await signIn(page, stage.runward);
});

test('a search can match the case and a regular expression, and names the error of one', async ({ page }) => {
  await page.goto(`${stage.runward.url}/executions/${runId}`);
  const status = output(page).getByRole('status');
  await search(page).fill('Needle');
  await expect(status).toHaveText('4 hits on 2 hosts');
  await output(page).getByRole('button', { name: 'Match case' }).click();
  await expect(status).toHaveText('2 hits on 2 hosts');
  await expect(page).toHaveURL(/match=case/);
  await search(page).fill('^(a|the) .eedle$');
  await expect(status).toHaveText('0 hits');
  await output(page).getByRole('button', { name: 'Regular expression' }).click();
  await expect(status).toHaveText('2 hits on 2 hosts');
  await output(page).getByRole('button', { name: 'Match case' }).click();
  await page.reload();
  await expect(output(page).getByRole('button', { name: 'Regular expression' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expect(hits(page)).toHaveCount(2);
  await takeScreenshot(page, 'search-regex');
  await search(page).fill('the [nN');
  await expect(output(page).getByRole('alert')).toContainText('missing closing ] [nN, at character 5.');
  await takeScreenshot(page, 'search-regex-error');
});

test('a search lists hits by host, and shows the log of the selected one', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(`${stage.runward.url}/executions/${runId}`);
  await search(page).fill('needle');
  await expect(output(page).getByRole('status')).toHaveText('4 hits on 2 hosts');
  await expect(hits(page)).toHaveCount(4);
  await expect(hits(page).first()).toContainText('line 30000');
  await hits(page).first().click();
  await expect(page).toHaveURL(/hit=\d+/);
  await expect(hits(page).first()).toHaveAttribute('aria-current', 'true');
  await expect(marked(page)).toHaveText(['Needle', 'needle']);
  const region = output(page).getByRole('region', { name: 'Output lines' });
  await region.focus();
  await page.keyboard.press('n');
  await expect(hits(page).nth(1)).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('n');
  await expect(hits(page).nth(2)).toHaveAttribute('aria-current', 'true');
  await expect(marked(page)).toHaveText(['Needle', 'needle']);
  await takeScreenshot(page, 'search-hits');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole('navigation', { name: 'Main' })).not.toBeInViewport();
  await hits(page).nth(2).scrollIntoViewIfNeeded();
  await takeScreenshot(page, 'search-hits-narrow');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await takeScreenshot(page, 'search-hits-dark');
  await page.reload();
  await expect(hits(page).nth(2)).toHaveAttribute('aria-current', 'true');
  await hits(page).nth(2).press('p');
  await expect(hits(page).nth(1)).toHaveAttribute('aria-current', 'true');
  await output(page).getByRole('button', { name: 'Open this log' }).click();
  await expect(page).toHaveURL(/host=web-\d&line=30003/);
  await expect(hits(page)).toHaveCount(0);
  await search(page).fill('nowhere to be found');
  await expect(output(page).getByText('No matching lines.')).toBeVisible();
  await expect(output(page).getByRole('status')).toHaveText('0 hits');
  expect(consoleErrors).toEqual([]);
});

test('a long search continues automatically, and reports no match only after all output was searched', async ({
  page,
}) => {
  const held = await delaySearches(page);
  await page.goto(`${stage.runward.url}/executions/${runId}?q=rare`);
  const first = await held.request(0);
  await first.route.fulfill({ json: counts(0, 40, 'WzEsMV0') });
  const second = await held.request(1);
  expect([first.after, second.after]).toEqual([null, 'WzEsMV0']);
  await expect(output(page).getByRole('status')).toHaveText('Searching…');
  await expect(progress(page)).toHaveText('0 hits so far, 40% searched');
  await expect(output(page).getByText('No matches so far.')).toBeVisible();
  await expect(output(page).getByText('No matching lines')).toHaveCount(0);
  await second.route.fulfill({ json: counts(1, 80, 'WzEsMl0') });
  const third = await held.request(2);
  await expect(progress(page)).toHaveText('1 hit so far, 80% searched');
  await third.route.fulfill({ json: counts(2, 100, null) });
  await expect(output(page).getByRole('status')).toHaveText('3 hits');
  await expect(progress(page)).toHaveCount(0);
  expect(held.requests).toHaveLength(3);
});

test('a search ends when another one starts', async ({ page }) => {
  const held = await delaySearches(page);
  await page.goto(`${stage.runward.url}/executions/${runId}?q=first`);
  const before = await held.request(0);
  const stopped = page.waitForEvent('requestfailed', (request) => request === before.route.request());
  await search(page).fill('second');
  await stopped;
  const next = await held.request(1);
  expect([next.q, next.after]).toEqual(['second', null]);
  await next.route.fulfill({ json: counts(1, 100, null) });
  await expect(output(page).getByRole('status')).toHaveText('1 hit');
  expect(held.requests.map(({ q }) => q)).toEqual(['first', 'second']);
});

test('a search stops after many hits, and continues on request', async ({ page }) => {
  const held = await delaySearches(page);
  await page.goto(`${stage.runward.url}/executions/${runId}?q=line`);
  await (await held.request(0)).route.fulfill({ json: counts(100_000, 20, 'WzEsMV0') });
  await expect(output(page).getByRole('status')).toHaveText('More than 100,000 hits');
  await expect(progress(page)).toHaveText('in the first 20%');
  const more = output(page).getByRole('button', { name: 'Continue the search' });
  expect(held.requests).toHaveLength(1);
  await more.click();
  const second = await held.request(1);
  expect(second.after).toBe('WzEsMV0');
  await second.route.fulfill({ json: counts(1, 100, null) });
  await expect(output(page).getByRole('status')).toHaveText('100,001 hits');
  await expect(more).toHaveCount(0);
});
