import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, openFromMenu, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: Stage;

test.beforeAll(async () => {
  stage = await startStage(['127.0.9.1']);
});
test.afterAll(() => stage?.end());

const status = (page: Page) => page.getByTestId('run-status');
const local = (minutes: number): string => {
  const at = new Date(Date.now() + minutes * 60_000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

test('a run waits for the one that holds its host, and begins automatically after it', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  const first = await stage.planOf('Back up', [
    { key: 'copy', name: 'Copy', command: `until [ -e ${join(stage.folder, 'copied')} ]; do sleep 0.1; done` },
  ]);
  const second = await stage.planOf('Restart', [
    { key: 'restart', name: 'Restart', command: 'echo restarting; echo "no such service" >&2; exit 5' },
  ]);
  await stage.startRun(first);
  await signIn(page, stage.runward);
  const dialog = page.getByRole('dialog');

  await test.step('the start is refused with the conflicting run, and can wait in the queue instead', async () => {
    await page.goto(`${stage.runward.url}/plans?start=${second}`);
    await dialog.getByRole('combobox', { name: 'Labels' }).fill('release=2.4.1');
    await dialog.getByRole('combobox', { name: 'Labels' }).press('Enter');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    const refusal = dialog.getByRole('alert');
    await expect(refusal).toContainText('Back up');
    await expectAccessible(page);
    await takeScreenshot(page, 'queue-1-refused');
    await refusal.getByRole('button', { name: 'Wait in the queue' }).click();
  });

  await test.step('it shows its position and links to the conflicting run; lists do so too', async () => {
    await expect(status(page)).toHaveText('Queued, position 1');
    const panel = page.getByRole('status').filter({ hasText: 'In the queue, position 1' });
    await expect(panel.getByRole('link', { name: 'Back up' })).toBeVisible();
    await expect(panel).toContainText('holds web-1');
    await expectAccessible(page);
    await takeScreenshot(page, 'queue-2-waits');
    await openFromMenu(page, 'Runs');
    const rows = page.getByRole('table', { name: 'Runs', exact: true }).getByRole('row');
    await expect(rows.filter({ hasText: 'Restart' })).toContainText('Queued, position 1');
    await page.getByRole('link', { name: 'release=2.4.1' }).click();
    await expect(page).toHaveURL(/label=release/);
    await expect(rows.filter({ hasText: 'Back up' })).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Restart' }).click();
  });

  await test.step('the first one ends, and it runs: its first failure is on its page, its results can be exported', async () => {
    await expect(status(page)).toHaveText('Queued, position 1');
    await stage.letGo('copied');
    await expect(status(page)).toHaveText('Failed');
    const failure = page.getByRole('alert').filter({ hasText: 'Failed on 1 of 1 host' });
    await expect(failure).toContainText('no such service');
    await expect(failure).toContainText('Failed · exit code 5 · Restart · web-1');
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Results as JUnit (XML)' }).click();
    expect(await readFile(await (await saved).path(), 'utf8')).toContain('<testsuites name="Restart"');
    await expectAccessible(page);
    await takeScreenshot(page, 'queue-3-failed');
  });

  await test.step('another one starts later, and is cancelled before', async () => {
    await page.goto(`${stage.runward.url}/plans?start=${second}`);
    await dialog.getByRole('checkbox', { name: 'Start later' }).check();
    await dialog.getByLabel('Start time').fill(local(90));
    await takeScreenshot(page, 'queue-4-later');
    await dialog.getByRole('button', { name: 'Start later' }).click();
    await expect(status(page)).toHaveText('Starts later');
    await expect(page.getByRole('status').filter({ hasText: 'The run starts' })).toContainText('in 1 h');
    await expectAccessible(page);
    await takeScreenshot(page, 'queue-5-planned');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Cancel run' }).click();
    await expect(status(page)).toHaveText('Cancelled');
  });
  expect(consoleErrors.filter((text) => !text.includes('409'))).toEqual([]);
});
