import { expect, type Page, type Route, test } from '@playwright/test';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, signIn } from '../support/page-helpers.js';

let stage: Stage;
let runId: string;

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.11']);
  const steps = [{ key: 'print', name: 'Print', command: 'seq -f "line %g" 1 30000; echo the Needle; echo done' }];
  runId = await stage.startRun(await stage.planOf('Print', steps));
  await stage.call('GET', `/api/executions/${runId}?wait=50&until=settled`);
});
test.afterAll(() => stage?.end());

/** Simulates a server with a gigabyte to search: records each search request, and responds on demand. */
async function delaySearches(page: Page) {
  const requests: { q: string; after: string | null; route: Route }[] = [];
  let heard: () => void = () => undefined;
  await page.route(`**/api/executions/${runId}/output?*`, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const q = query.get('q');
    if (!q) return route.continue();
    requests.push({ q, after: query.get('after'), route });
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

const hit = (line: number, text: string) => ({
  stepKey: 'print',
  serverId: '00000000-0000-7000-8000-000000000001',
  serverName: 'web-1',
  stream: 'stdout',
  line,
  text,
  partial: false,
  continues: false,
  at: '2026-11-20T10:00:00.000Z',
});

const output = (page: Page) => page.getByRole('region', { name: 'Output', exact: true });
const search = (page: Page) => output(page).getByRole('textbox', { name: 'Search output' });
const lines = (page: Page) => output(page).getByTestId('output-line');
const progress = (page: Page) => output(page).getByTestId('search-progress');

test.beforeEach(async ({ page }) => {
  await signIn(page, stage.runward);
});

test('a search finds output, ignoring case', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(`${stage.runward.url}/executions/${runId}`);
  await search(page).fill('the needle');
  await expect(lines(page)).toHaveCount(1);
  await expect(lines(page)).toContainText('the Needle');
  await expect(output(page).getByRole('status')).toHaveText('1 hit');
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
  await first.route.fulfill({ json: { items: [], nextAfter: 'WzEsMV0', readPercent: 40 } });
  const second = await held.request(1);
  expect([first.after, second.after]).toEqual([null, 'WzEsMV0']);
  await expect(output(page).getByRole('status')).toHaveText('Searching…');
  await expect(progress(page)).toHaveText('0 hits so far, 40% searched');
  await expect(output(page).getByText('No matches so far.')).toBeVisible();
  await expect(output(page).getByText('No matching lines')).toHaveCount(0);
  await second.route.fulfill({ json: { items: [hit(7, 'a rare line')], nextAfter: 'WzEsMl0', readPercent: 80 } });
  const third = await held.request(2);
  await expect(lines(page)).toHaveCount(1);
  await expect(progress(page)).toHaveText('1 hit so far, 80% searched');
  await third.route.fulfill({ json: { items: [], nextAfter: null, readPercent: 100 } });
  await expect(output(page).getByRole('status')).toHaveText('1 hit');
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
  await next.route.fulfill({ json: { items: [hit(3, 'the second line')], nextAfter: null, readPercent: 100 } });
  await expect(lines(page)).toHaveCount(1);
  await expect(output(page).getByRole('status')).toHaveText('1 hit');
  expect(held.requests.map(({ q }) => q)).toEqual(['first', 'second']);
});

test('a search stops after many hits, and continues on request', async ({ page }) => {
  const held = await delaySearches(page);
  await page.goto(`${stage.runward.url}/executions/${runId}?q=line`);
  const many = Array.from({ length: 5_000 }, (_, index) => hit(index + 1, `line ${index + 1}`));
  await (await held.request(0)).route.fulfill({ json: { items: many, nextAfter: 'WzEsMV0', readPercent: 20 } });
  await expect(output(page).getByRole('status')).toHaveText('5,000 hits');
  await expect(progress(page)).toHaveText('in the first 20%');
  const more = output(page).getByRole('button', { name: 'Load more matches' });
  await expect(more).toBeVisible();
  expect(held.requests).toHaveLength(1);
  await more.click();
  const second = await held.request(1);
  expect(second.after).toBe('WzEsMV0');
  await second.route.fulfill({ json: { items: [hit(9_000, 'line 9000')], nextAfter: null, readPercent: 100 } });
  await expect(output(page).getByRole('status')).toHaveText('5,001 hits');
  await expect(more).toHaveCount(0);
});
