import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

/** Far more lines than the page keeps. */
const LINES = 230_000;
/** Bytes of output that opening a run may load. */
const MAX_OPENING_BYTES = 200_000;

let stage: Stage;
let runId: string;

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.31']);
  const wait = (file: string) => `until [ -e ${stage.folder}/${file} ]; do sleep 0.1; done`;
  const command = `seq -f "line %.0f" 1 ${LINES}; ${wait('more')}; echo the very last line; ${wait('end')}`;
  runId = await stage.startRun(await stage.planOf('Flood', [{ key: 'print', name: 'Print', command }]));
});
test.afterAll(() => stage?.end());

const output = (page: Page) => page.getByRole('region', { name: 'Output', exact: true });
const log = (page: Page) => output(page).getByRole('region', { name: 'Output lines' });
const lines = (page: Page) => output(page).getByTestId('output-line');
const line = (page: Page, text: string | RegExp) => lines(page).filter({ hasText: text });
const count = (page: Page) => output(page).getByRole('status').first();

/** Counts the bytes of output that the page loads. */
function countOutputBytes(page: Page): () => number {
  let loaded = 0;
  page.on('response', async (response) => {
    if (response.url().includes('/output')) loaded += (await response.body().catch(() => Buffer.alloc(0))).length;
  });
  return () => loaded;
}

test.beforeEach(async ({ page }) => {
  await signIn(page, stage.runward);
});

test('a long log opens at its end, shows its beginning, and says how much was written since', async ({ page }) => {
  test.setTimeout(180_000);
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(`${stage.runward.url}/executions/${runId}`);
  await expect(line(page, `line ${LINES}`)).toBeVisible({ timeout: 90_000 });
  await log(page).scrollIntoViewIfNeeded();
  await expect(line(page, `line ${LINES}`)).toBeInViewport();
  await expect(page.getByTestId('stream-state')).toHaveText('Live');
  await expect(count(page)).toHaveText(`${LINES.toLocaleString('en')} lines`);
  await takeScreenshot(page, 'long-output');
  await expectAccessible(page);

  await log(page).press('Home');
  await expect(line(page, /line 1$/)).toBeInViewport();
  await stage.letGo('more');
  await output(page).getByRole('button', { name: '1 new line' }).click();
  await expect(line(page, 'the very last line')).toBeInViewport();
  await expect(count(page)).toHaveText(`${(LINES + 1).toLocaleString('en')} lines`);
  expect(consoleErrors).toEqual([]);
});

test('a long log has one scroll bar, and loads what is looked at', async ({ page }) => {
  const loaded = countOutputBytes(page);
  await page.goto(`${stage.runward.url}/executions/${runId}`);
  await expect(line(page, `line ${LINES}`)).toBeVisible();
  await log(page).scrollIntoViewIfNeeded();
  const bar = output(page).getByRole('scrollbar', { name: 'Position in the log' });
  await bar.click();
  const topPosition = async () => Number(await bar.getAttribute('aria-valuenow'));
  // One pixel of the bar stands for hundreds of lines.
  await expect.poll(async () => Math.abs((await topPosition()) - LINES / 2)).toBeLessThan(LINES / 100);
  const position = await topPosition();
  await expect(line(page, new RegExp(`line ${position + 5}$`))).toBeInViewport();
  await log(page).hover();
  for (let turn = 0; turn < 30; turn += 1) await page.mouse.wheel(0, 2_000);
  await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(position + 2_000);
  for (let turn = 0; turn < 60; turn += 1) await page.mouse.wheel(0, -2_000);
  await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(position);
  await log(page).press('End');
  await expect(line(page, 'the very last line')).toBeInViewport();
  expect(loaded()).toBeLessThan(2_000_000);
});

test('a link to a distant line opens it without loading what precedes it', async ({ page }) => {
  const loaded = countOutputBytes(page);
  const far = LINES - 5_000;
  await page.goto(`${stage.runward.url}/executions/${runId}?step=print&host=web-1&line=${far}`);
  await expect(line(page, `line ${far}`)).toBeVisible();
  await log(page).scrollIntoViewIfNeeded();
  await expect(line(page, `line ${far}`)).toBeInViewport();
  expect(loaded()).toBeLessThan(MAX_OPENING_BYTES);
});

test('a link to a missing line says so', async ({ page }) => {
  await stage.letGo('more');
  await stage.letGo('end');
  await stage.call('GET', `/api/executions/${runId}?wait=50&until=finished`);
  await page.goto(`${stage.runward.url}/executions/${runId}?step=print&host=web-1&line=${LINES + 100}`);
  await expect(output(page).getByText(/^Line 230,?100 is not stored/)).toBeVisible();
});

test('a failed run opens at the last line of the failed host', async ({ page }) => {
  const command = 'seq -f "line %.0f" 1 30000; echo it broke here; exit 3';
  const last = { key: 'after', name: 'After', command: 'seq -f "cleaning %.0f" 1 30000', always: true };
  const planId = await stage.planOf('Break', [{ key: 'print', name: 'Print', command }, last]);
  const id = await stage.startRun(planId);
  await stage.call('GET', `/api/executions/${id}?wait=50&until=finished`);
  await page.goto(`${stage.runward.url}/executions/${id}`);
  await expect(line(page, 'it broke here')).toBeVisible();
  await log(page).scrollIntoViewIfNeeded();
  await expect(line(page, 'it broke here')).toBeInViewport();
});

test('lines of one stream are found wherever they are in a long log, also by a key', async ({ page }) => {
  const command = 'seq -f "line %.0f" 1 60000; sleep 1; echo a rare warning >&2; sleep 1; seq -f "line %.0f" 1 60000';
  const id = await stage.startRun(await stage.planOf('Warn', [{ key: 'print', name: 'Print', command }]));
  await stage.call('GET', `/api/executions/${id}?wait=50&until=finished`);
  await page.goto(`${stage.runward.url}/executions/${id}?stream=stderr`);
  await expect(line(page, 'a rare warning')).toBeVisible();
  await expect(lines(page)).toHaveCount(1);

  await page.goto(`${stage.runward.url}/executions/${id}?step=print&host=web-1`);
  await expect(line(page, /line 1$/)).toBeVisible();
  await log(page).press('e');
  await expect(line(page, 'a rare warning')).toBeInViewport();
  await log(page).press('e');
  await expect(page.getByText('No later line of standard error.')).toBeVisible();
  await output(page).getByRole('button', { name: 'Show the time of each line' }).click();
  await output(page).getByRole('button', { name: 'Show the time since the start of the run' }).click();
  await expect(line(page, 'a rare warning').locator('time')).toHaveText(/^\+0:0\d\.\d$/);
  await log(page).press(':');
  await output(page).getByRole('textbox', { name: 'Go to line' }).fill('100001');
  await page.keyboard.press('Enter');
  await expect(line(page, /line 40000$/)).toBeInViewport();
  await output(page).getByRole('button', { name: 'Link to line 100001', exact: true }).click();
  await output(page)
    .getByRole('button', { name: 'Link to line 100003', exact: true })
    .click({ modifiers: ['Shift'] });
  await expect(page).toHaveURL(/line=100001&lineTo=100003/);
  await log(page).press('/');
  await expect(output(page).getByRole('textbox', { name: 'Search output' })).toBeFocused();
  const hideGrid = output(page).getByRole('button', { name: 'Hide the grid' });
  await hideGrid.click();
  await expect(page.getByRole('grid')).toBeHidden();
  await hideGrid.click();
  await expect(page.getByRole('grid')).toBeVisible();
});

test('equal lines, sections and progress bars are folded, and shown as written on request', async ({ page }) => {
  const command = [
    'printf "10%%\\r50%%\\rfetched\\n"; echo ::group::Unpack; seq -f "file %.0f" 1 20; echo ::endgroup::',
    'yes waiting | head -n 300; echo ready',
  ].join('; ');
  const id = await stage.startRun(await stage.planOf('Fold', [{ key: 'print', name: 'Print', command }]));
  await stage.call('GET', `/api/executions/${id}?wait=50&until=finished`);
  await page.goto(`${stage.runward.url}/executions/${id}?step=print&host=web-1`);
  await expect(lines(page)).toHaveCount(25);
  await expect(line(page, 'ready')).toContainText('324');
  await expect(line(page, 'fetched')).not.toContainText('50%');
  await output(page).getByRole('button', { name: 'Unpack' }).click();
  await expect(line(page, 'file 3')).toHaveCount(0);
  await takeScreenshot(page, 'log-folded');
  await output(page).getByRole('button', { name: 'Show 299 more equal lines' }).click();
  await expect(line(page, 'waiting').nth(5)).toBeVisible();
  await output(page).getByRole('button', { name: 'Raw lines' }).click();
  await expect(line(page, 'fetched')).toContainText('10%␍50%␍fetched');
  await expect(line(page, '::group::Unpack')).toBeVisible();
});
