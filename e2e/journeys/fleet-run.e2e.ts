import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, findCutTexts, signIn, takeScreenshot } from '../support/page-helpers.js';

const HOSTS = 24;
const NAMES =
  'Drain Stop Fetch Verify Unpack Migrate Link Start Wait Check Add Report Warm Probe Tag Clean Sync Index Purge Notify'.split(
    ' ',
  );
/** Hosts on which `Migrate` fails until the file `mended` exists. */
const FULL = [3, 11, 20];
const REFUSED = 7;
/** Host that takes long to drain. */
const SLOW = 5;

let stage: Stage;
let runId: string;

test.beforeAll(async () => {
  stage = await startStage(Array.from({ length: HOSTS }, (_, index) => `127.0.4.${60 + index + 1}`));
  const { items: servers } = await stage.call<{ items: { id: string; tags: Record<string, string> }[] }>(
    'GET',
    '/api/inventory/servers?limit=200',
  );
  for (const { id, tags } of servers)
    await stage.call('PATCH', `/api/inventory/servers/${id}`, {
      tags: { ...tags, zone: Number(tags.number) <= HOSTS / 2 ? 'east' : 'west' },
    });
  const number = `$(( $(echo $SSH_CONNECTION | cut -d' ' -f3 | cut -d. -f4) - 60 ))`;
  const migrate = [
    `[ -e ${stage.folder}/mended ] && echo migrated && exit 0`,
    `n=${number}; echo "applying 0042_orders.sql"`,
    `case $n in ${FULL.join('|')}) echo "web-$n: disk full after $n MB" >&2; exit 4;; ${REFUSED}) exit 3;; esac`,
  ].join('\n');
  const steps = NAMES.map((name, index) => ({
    key: `s${index + 1}`,
    name,
    command:
      name === 'Migrate'
        ? migrate
        : name === 'Drain'
          ? `[ ${number} = ${SLOW} ] && sleep 2; echo Drain`
          : `echo ${name}`,
  }));
  runId = await stage.startRun(await stage.planOf('Deploy shop', steps));
  await stage.call('GET', `/api/executions/${runId}?wait=50&until=finished`);
});
test.afterAll(() => stage?.end());

test.beforeEach(async ({ page }) => {
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/executions/${runId}`);
});

const grid = (page: Page) => page.getByRole('grid', { name: 'Hosts and steps' });
const causes = (page: Page) => page.getByRole('list', { name: 'Causes' }).getByRole('listitem');
const hostsOf = async (page: Page) =>
  (await grid(page).getByRole('rowheader').allTextContents()).map((name) => Number(name.replace('web-', '')));

test('hosts are grouped by a tag, with the failures of each group', async ({ page }) => {
  await page.getByLabel('Groups of hosts').selectOption('By zone');
  const groups = page.getByRole('group', { name: 'Hosts by zone' }).getByRole('button');
  await expect(groups).toHaveText([/^east\s*12 hosts\s*3 failed$/, /^west\s*12 hosts\s*1 failed$/]);
  await groups.getByText('west').click();
  await expect.poll(async () => (await hostsOf(page)).length).toBe(HOSTS / 2);
  expect((await hostsOf(page))[0]).toBe(20);
  await page.reload();
  await expect(groups.last()).toHaveAttribute('aria-pressed', 'true');
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await takeScreenshot(page, `fleet-groups-${colorScheme}`);
    await expectAccessible(page);
  }
  await groups.last().click();
  await expect.poll(async () => (await hostsOf(page)).length).toBeGreaterThan(HOSTS / 2);
});

test('failures of many hosts are grouped by cause, and only their hosts are rerun', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await expect(page.getByText('Failed on 4 of 24 hosts in Migrate')).toBeVisible();
  await expect(causes(page).first()).toContainText('…: disk full after … MB');
  await expect(causes(page).first()).toContainText('Failed · exit code 4 · Migrate · 3 hosts');
  await expect(causes(page)).toHaveCount(2);
  await takeScreenshot(page, 'fleet-run');
  await expectAccessible(page);

  await causes(page).first().getByRole('link').click();
  await expect.poll(() => hostsOf(page)).toEqual(FULL);
  await expect(
    page.getByRole('region', { name: 'Output', exact: true }).getByText(/disk full after \d+ MB/),
  ).toBeVisible();
  await page.reload();
  await expect.poll(() => hostsOf(page)).toEqual(FULL);
  await page.getByRole('button', { name: 'Show hosts with all causes' }).click();
  await expect.poll(async () => (await hostsOf(page)).length).toBeGreaterThan(FULL.length);

  await stage.letGo('mended');
  await causes(page).first().getByRole('button', { name: 'Rerun these 3' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rerun on 3 hosts' });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Rerun' }).click();
  await expect(page.getByTestId('run-status')).toHaveText('Succeeded');
  expect(page.url()).not.toContain(runId);
  await expect.poll(async () => (await hostsOf(page)).toSorted((a, b) => a - b)).toEqual(FULL);
  expect(consoleErrors).toEqual([]);
});

test('twenty steps fit beside the output, and the map leads to a failed host', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(grid(page).getByRole('columnheader')).toHaveCount(NAMES.length + 1);
  const frame = await grid(page)
    .locator('xpath=..')
    .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(frame).toBeLessThanOrEqual(0);
  const cell = await page.getByTestId('cell-web-1-s20').boundingBox();
  expect(cell?.width).toBeGreaterThanOrEqual(24);
  const output = page.getByRole('region', { name: 'Output', exact: true });
  const [left, right] = [await grid(page).boundingBox(), await output.boundingBox()];
  expect(right?.x).toBeGreaterThan((left?.x ?? 0) + (left?.width ?? 0) - 1);

  const map = page.getByRole('slider', { name: 'Map of hosts' });
  await map.focus();
  await map.press('Home');
  for (let host = 1; host < FULL[0]!; host += 1) await map.press('ArrowRight');
  await expect(map).toHaveAttribute('aria-valuetext', 'web-3: failed');
  await map.press('Enter');
  await expect(output.getByText('web-3 · Migrate')).toBeVisible();
  await expect(output.getByText('disk full after 3 MB')).toBeVisible();
});

test('the timeline shows the time of each step, and the slowest hosts of one first', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await page.getByRole('radiogroup', { name: 'View of the results' }).getByText('Timeline').click();
  const steps = page.getByRole('table', { name: 'Timeline of steps' });
  await expect(steps.getByRole('row')).toHaveCount(NAMES.length + 1);
  await expect(steps.getByRole('row').nth(1)).toContainText(/Drain.*Running \d/);
  await takeScreenshot(page, 'timeline-steps');
  await steps.getByRole('button', { name: 'Drain' }).press('Enter');
  const hosts = page.getByRole('table', { name: 'Timeline of hosts in Drain' });
  const first = hosts.getByRole('row').nth(1);
  await expect(first).toContainText(/web-5.*connecting .*running \d/i);
  await first.getByRole('button').press('Enter');
  await expect(page.getByRole('region', { name: 'Output', exact: true })).toContainText('web-5 · Drain');
  await page.reload();
  await expect(first.getByRole('button')).toHaveAttribute('aria-current', 'true');
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'dark'],
    [390, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await hosts.scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await expectAccessible(page);
    await takeScreenshot(page, `timeline-${width}-${colorScheme}`);
  }
  expect(consoleErrors).toEqual([]);
});

test('on a phone the causes come first, and nothing is wider than the screen', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(causes(page).first().getByRole('button', { name: 'Rerun these 3' })).toBeInViewport();
  await expectAccessible(page);
  await takeScreenshot(page, 'fleet-run-phone');
});

interface Times {
  startedAt?: string | null;
  finishedAt?: string | null;
}

interface OddBody extends Times {
  summary?: { durationMs: number };
  steps?: Times[];
  items?: Times[];
}

test('names of any kind, many causes and clocks that jump break no layout', async ({ page }) => {
  const names = new Map([
    ['web-3', `${`${'long-name-'.repeat(6)}.`.repeat(4)}end`.slice(0, 253)],
    ['web-5', 'שרת-בדיקה-מרכזי'],
    ['web-7', 'web-7 سيرفر (old)'],
    ['web-11', `${'m'.repeat(63)}.`.repeat(3) + 'm'.repeat(61)],
  ]);
  const day = 86_400_000;
  const shift = (iso: string | null | undefined, days: number) =>
    iso ? new Date(Date.parse(iso) + days * day).toISOString() : iso;
  const move = ({ startedAt, finishedAt }: Times, start: number, end: number) => ({
    startedAt: shift(startedAt, start),
    finishedAt: shift(finishedAt, end),
  });
  await page.route(`**/api/executions/${runId}**`, async (route) => {
    const response = await route.fetch();
    if (!response.headers()['content-type']?.includes('json')) return route.fulfill({ response });
    let text = await response.text();
    for (const [name, odd] of names) text = text.replaceAll(`"${name}"`, JSON.stringify(odd));
    const body = JSON.parse(text) as OddBody;
    if (body.summary && body.steps) {
      Object.assign(body, move(body, 1, -1));
      body.summary.durationMs = -2 * day;
      body.steps = body.steps.map((step, index) => (index === 0 ? step : { ...step, ...move(step, index * 100, -3) }));
    }
    if (route.request().url().includes('failure-causes')) {
      const [cause] = body.items ?? [];
      body.items = Array.from({ length: 100 }, (_, index) => ({
        ...cause,
        key: `cause ${index}`,
        text: `${'x'.repeat(index * 9)} שגיאה \u202e${index}`,
      }));
      Object.assign(body, { moreCauses: 9_900, moreFailures: 9_900 });
    }
    if (body.items && /results\?/.test(route.request().url()))
      for (const item of body.items) Object.assign(item, move(item, 2, -2));
    await route.fulfill({ response, json: body });
  });
  for (const [width, view] of [
    [1440, ''],
    [390, ''],
    [1440, '?view=timeline'],
    [390, '?view=timeline'],
    [390, `?view=timeline&step=s6&host=${encodeURIComponent(names.get('web-3')!)}`],
    [390, '/report'],
  ] as const) {
    await test.step(`${width} px, ${view.slice(0, 30) || 'grid'}`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${stage.runward.url}/executions/${runId}${view}`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Deploy shop');
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      expect(await findCutTexts(page)).toEqual([]);
      await expect(page.getByText(/-\d+(\.\d+)? (ms|s|min|h)\b/)).toHaveCount(0);
      await takeScreenshot(page, `fleet-odd-${width}-${view.replaceAll(/\W/g, '').slice(0, 20)}`);
    });
  }
});

test('on a phone a list shows each row as a card, with all values', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${stage.runward.url}/executions`);
  const card = page.getByRole('table', { name: 'Runs' }).getByRole('row').last();
  await expect(card).toContainText('Deploy shop');
  for (const value of ['Environment staging', `Hosts ${HOSTS} hosts`])
    await expect(card.getByRole('cell', { name: value, exact: true })).toBeInViewport();
  await expectAccessible(page);
  await takeScreenshot(page, 'runs-phone');
});

test('nothing moves while the run page loads', async ({ page }) => {
  await page.addInitScript(() => {
    let shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shift += (entry as unknown as { value: number }).value;
      document.documentElement.dataset.shift = String(shift);
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await page.goto(`${stage.runward.url}/executions/${runId}`);
  await expect(page.getByTestId('cell-web-3-s6')).toHaveAttribute('data-status', 'FAILED');
  await expect(causes(page)).toHaveCount(2);
  await page.waitForLoadState('networkidle');
  const shift = await page.evaluate(() => Number(document.documentElement.dataset.shift ?? 0));
  expect(shift).toBeLessThan(0.05);
});
