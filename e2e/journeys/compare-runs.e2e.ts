import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, signIn, takeScreenshot } from '../support/page-helpers.js';

/** Output before the first difference, in two parts and a half. */
const BEFORE = 'seq -f "row %.0f" 1 1250;';

let stage: Stage;
let good: string;
let bad: string;

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.91', '127.0.4.92']);
  const steps = (command: string) => [
    { key: 'fetch', name: 'Fetch', command: 'echo fetched' },
    { key: 'migrate', name: 'Migrate', command },
  ];
  const planId = await stage.planOf('Deploy shop', steps(`${BEFORE} seq -f "table %.0f" 1 4; echo migrated`));
  const run = async () => {
    const id = await stage.startRun(planId);
    await stage.call('GET', `/api/executions/${id}?wait=50&until=finished`);
    return id;
  };
  good = await run();
  const failing = `${BEFORE} seq -f "table %.0f" 1 3; case "$SSH_CONNECTION" in *127.0.4.92*) echo "disk full"; exit 4;; esac; echo migrated`;
  await stage.call('PATCH', `/api/plans/${planId}`, { steps: steps(failing) });
  bad = await run();
});
test.afterAll(() => stage?.end());

test.beforeEach(async ({ page }) => {
  await signIn(page, stage.runward);
});

const open = (page: Page, path: string) => page.goto(`${stage.runward.url}${path}`);
const pathOf = (page: Page) => new URL(page.url()).pathname;

test('a failed run is compared with the last success, down to the lines of one host', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await open(page, `/executions/${bad}`);
  const changes = page.getByRole('group', { name: 'Changes since the last success' });
  await expect(changes).toContainText('revision 1 → 2');
  await expect(changes).toContainText('Migrate changed');
  await expect(page.getByText(/, median \d/)).toBeVisible();
  await expect(page.locator('link[rel="icon"]')).toHaveAttribute('href', /^data:image/);
  await takeScreenshot(page, 'run-changes');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Compare with…' }).click();

  await expect(page.getByRole('heading', { name: 'Compare runs' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Earlier run' })).toContainText(good.slice(-8));
  await expect(page.getByRole('group', { name: 'Step Migrate, before and after' })).toContainText('disk full');
  await page.getByRole('table', { name: 'Steps' }).getByRole('link', { name: 'Migrate' }).click();
  const hosts = page.getByRole('table', { name: 'Hosts' });
  await expect(hosts.getByRole('row').nth(1)).toContainText(/web-2.*Succeeded.*Failed/);
  await hosts.getByRole('link', { name: 'web-2' }).click();
  const lines = page.getByRole('group', { name: 'Output lines of both runs' });
  // Opens at the first difference, not at the beginning.
  const difference = lines.getByTestId('line-pair').filter({ hasText: 'disk full' });
  await expect(difference).toContainText('table 4');
  await expect(difference).toBeInViewport();
  await expectAccessible(page);
  await takeScreenshot(page, 'compare-runs');

  // The URL has both runs, the step and the host.
  await page.reload();
  await expect(lines.getByTestId('line-pair').filter({ hasText: 'disk full' })).toBeVisible();
  await page.getByRole('link', { name: 'Swap' }).click();
  await expect(page.getByRole('region', { name: 'Earlier run' })).toContainText(bad.slice(-8));
  expect(pathOf(page)).toBe(`/executions/${good}/compare`);
  await expect(lines.getByTestId('line-pair').filter({ hasText: 'disk full' })).toBeVisible();
  expect(consoleErrors).toEqual([]);
});

test('two runs are chosen from the history of their plan', async ({ page }) => {
  await open(page, `/executions/${good}`);
  await page.getByRole('link', { name: 'Revision 1' }).click();
  await page.getByRole('tab', { name: 'Runs' }).click();
  const boxes = page.getByRole('table', { name: 'Runs of this plan' }).getByRole('checkbox');
  await expect(boxes).toHaveCount(2);
  await boxes.first().check();
  await boxes.last().check();
  await page.getByRole('link', { name: 'Compare the two runs' }).click();
  await expect(page.getByRole('region', { name: 'Earlier run' })).toContainText(good.slice(-8));
  await expect(page).toHaveURL(`${stage.runward.url}/executions/${bad}/compare?with=${good}`);
});

test('a copied link shows the same selection', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(page, `/executions/${bad}?host=web-2&step=migrate&line=1252&show=failed&stream=stdout`);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Copy link to this view' }).click();
  await expect(page.getByText('The link was copied.')).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await context.newPage();
  await other.goto(link);
  expect(new URL(other.url()).search).toBe(new URL(page.url()).search);
  const output = other.getByRole('region', { name: 'Output', exact: true });
  await expect(output).toContainText('web-2 · Migrate');
  await expect(output.getByTestId('output-line').filter({ hasText: 'table 2' })).toBeVisible();
  await expect(other.getByRole('grid', { name: 'Hosts and steps' }).getByRole('rowheader')).toHaveText(['web-2']);
});

test('the timeline of a step has the median of earlier runs', async ({ page }) => {
  await open(page, `/executions/${bad}?view=timeline&step=migrate`);
  await expect(page.getByText(/^Median of 1 earlier run: \d+/)).toBeVisible();
  await expect(page.getByRole('table', { name: 'Timeline of hosts in Migrate' }).getByRole('row')).toHaveCount(3);
  await takeScreenshot(page, 'timeline-median');
});

test('a report of a run is printed on white A4 pages without the navigation', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  await open(page, `/executions/${bad}`);
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'Report to print' }).click();
  const report = page.getByRole('article', { name: 'Run report' });
  await expect(report.getByText('Last success: revision 1')).toBeVisible();
  await expect(report.getByText('disk full').last()).toBeVisible();
  await expectAccessible(page);
  await takeScreenshot(page, 'run-report');

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.getByRole('navigation')).toBeHidden();
  await expect(page.getByRole('button', { name: 'Print or save as PDF' })).toBeHidden();
  await expect(report).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(255, 255, 255)');
  await takeScreenshot(page, 'run-report-print');
  const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  // A4 in points.
  const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(pdf.toString('latin1')) ?? [];
  expect([Math.round(Number(width)), Math.round(Number(height))]).toEqual([595, 842]);
});
