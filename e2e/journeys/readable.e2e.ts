import { expect, type Page, test } from '@playwright/test';
import { scanPage } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { takeScreenshot, signIn } from '../support/page-helpers.js';

/**
 * Every colour on every background that a program may choose, one line per background: the sixteen named ones, palette,
 * RGB values, dim and reversed.
 */
const COLOURS = `
e=$(printf '\\033'); text=abc
for ground in '' 40 41 42 43 44 45 46 47 100 101 102 103 104 105 106 107 '48;5;17' '48;5;226' '48;2;255;0;0' '48;2;120;120;120'; do
  for style in '' '2;' '7;'; do
    for colour in 30 31 32 33 34 35 36 37 90 91 92 93 94 95 96 97 '38;5;16' '38;5;21' '38;5;226' '38;5;232' '38;5;255' '38;2;0;0;255' '38;2;255;255;0' 39; do
      printf '%s[%s%sm%s%s[0m' "$e" "$style" "\${ground:+$ground;}$colour" "$text" "$e"
    done
  done
  echo
done`;

let stage: Stage;
let runId: string;
let failedId: string;
const NOTE = 'A note of several lines,\nthat goes on\nand on\nand on.\n'.repeat(6).trim();

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.51']);
  runId = await stage.startRun(await stage.planOf('Colours', [{ key: 'print', name: 'Print', command: COLOURS }]));
  await stage.call('GET', `/api/executions/${runId}?wait=50&until=finished`);
  const failing = await stage.planOf('Failing', [{ key: 'fail', name: 'Fail', command: 'exit 3' }]);
  const body = { planId: failing, execution_mode: 'auto', note: NOTE };
  failedId = (await stage.call('POST', '/api/executions', body)).id;
  await stage.call('GET', `/api/executions/${failedId}?wait=50&until=finished`);
});
test.afterAll(() => stage?.end());
test.beforeEach(async ({ page }) => {
  await signIn(page, stage.runward);
});

const lines = (page: Page) => page.getByTestId('output-line');

for (const colorScheme of ['light', 'dark'] as const) {
  test(`coloured output is readable in the ${colorScheme} theme`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    // Only visible text is checked, and each line is about 1,600 px long.
    await page.setViewportSize({ width: 3_600, height: 900 });
    for (const [place, region] of [
      ['', 'Output lines'],
      ['?step=print&host=web-1&line=3', 'Output lines'],
      ['?q=abc&hit=3', 'Output lines'],
      ['?q=abc&hit=3', 'Hits'],
    ] as const) {
      await page.goto(`${stage.runward.url}/executions/${runId}${place}`);
      await expect(lines(page)).toHaveCount(21);
      const within = `[aria-label="${region}"]`;
      const { violations, passed } = await scanPage(page, { only: ['color-contrast'], within, countPassed: true });
      expect([place, region, violations]).toEqual([place, region, []]);
      expect(passed).toBeGreaterThan(1_000);
    }
    await takeScreenshot(page, `colours-${colorScheme}`);
  });
}

test('the reason of a failed run precedes its note, on its page and in the list', async ({ page }) => {
  await page.goto(`${stage.runward.url}/executions/${failedId}`);
  const reason = page.getByRole('alert').first();
  await expect(reason).toBeVisible();
  const note = page.getByText('A note of several lines,').first();
  const [above, below] = await Promise.all([reason.boundingBox(), note.boundingBox()]);
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  await expect(reason).toContainText('Failed on 1 of 1 host in Fail');
  await takeScreenshot(page, 'failed-with-note');
  await page.goto(`${stage.runward.url}/executions`);
  const row = page.getByRole('row').filter({ hasText: 'Failing' });
  await expect(row.getByText('1 failed of 1 host')).toBeVisible();
  await expect(row.getByText('A note of several lines,')).toBeVisible();
});

test('an unknown address keeps the menu', async ({ page }) => {
  await page.goto(`${stage.runward.url}/no/such/page`);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Plans', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Plans' })).toBeVisible();
});

test('an example in an empty required field does not look like a refused value', async ({ page }) => {
  await page.goto(`${stage.runward.url}/environments`);
  await page.getByText('New environment', { exact: true }).first().click();
  const name = page.getByRole('dialog').getByLabel('Name');
  const colour = () => name.evaluate((input) => getComputedStyle(input, '::placeholder').color);
  const before = await colour();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^(Create|Save|Add)/ })
    .click();
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  expect(await colour()).toBe(before);
});

test('a disabled member is not shown with any permission', async ({ page }) => {
  const member = {
    email: 'gone@example.test',
    name: 'Gone Colleague',
    role: 'operator',
    password: 'long enough to be one',
  };
  const { id } = await stage.call('POST', '/api/members', member);
  await stage.call('PATCH', `/api/members/${id}`, { disabled: true });
  await page.goto(`${stage.runward.url}/environments/${stage.environmentId}?tab=access`);
  const row = page.getByRole('row').filter({ hasText: 'Gone Colleague' });
  await expect(row.getByText('No access while disabled').filter({ visible: true })).toBeVisible();
  await expect(row.getByText(/Runs|May run|See/)).toHaveCount(0);
});
