import { expect, type Page, test } from '@playwright/test';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

/** More lines than the page loads automatically for a finished run, and more than it keeps. */
const LINES = 230_000;

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
const lines = (page: Page) => output(page).getByTestId('output-line');
const count = (page: Page) => output(page).getByRole('status').first();

test.beforeEach(async ({ page }) => {
  await signIn(page, stage.runward);
});

test('a log is followed to its end, whatever its length, and back to its beginning', async ({ page }) => {
  test.setTimeout(180_000);
  const consoleErrors = collectConsoleErrors(page);
  await page.goto(`${stage.runward.url}/executions/${runId}`);
  await expect(lines(page).filter({ hasText: `line ${LINES}` })).toBeVisible({ timeout: 90_000 });
  await expect(page.getByTestId('stream-state')).toHaveText('Live');
  await expect(output(page).getByText(/earlier lines are not loaded on this page/)).toBeVisible();
  await stage.letGo('more');
  await expect(lines(page).filter({ hasText: 'the very last line' })).toBeVisible();
  await expect(count(page)).toHaveText(`${(LINES + 1).toLocaleString('en')} lines`);
  await takeScreenshot(page, 'long-output');

  await output(page).getByRole('button', { name: 'Load from the beginning' }).click();
  await expect(lines(page).filter({ hasText: /line 1$/ })).toBeVisible();
  const newestButton = output(page).getByRole('button', { name: 'Go to newest lines' });
  await expect(newestButton).toBeVisible({ timeout: 60_000 });
  await newestButton.click();
  await expect(lines(page).filter({ hasText: 'the very last line' })).toBeVisible({ timeout: 60_000 });
  expect(consoleErrors).toEqual([]);
});

test('a link to a distant line opens it', async ({ page }) => {
  test.setTimeout(120_000);
  const far = LINES - 5_000;
  await page.goto(`${stage.runward.url}/executions/${runId}?step=print&host=web-1&line=${far}`);
  await expect(lines(page).filter({ hasText: `line ${far}` })).toBeInViewport({ timeout: 90_000 });
});

test('a link to a missing line says so', async ({ page }) => {
  await stage.letGo('more');
  await stage.letGo('end');
  await stage.call('GET', `/api/executions/${runId}?wait=50&until=finished`);
  await page.goto(`${stage.runward.url}/executions/${runId}?step=print&host=web-1&line=${LINES + 100}`);
  await expect(output(page).getByText(`Line ${LINES + 100} is not in the loaded lines.`)).toBeVisible({
    timeout: 90_000,
  });
});
