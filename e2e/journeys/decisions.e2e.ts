import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, openPageAs, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: Stage;

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.1', '127.0.4.2', '127.0.4.3']);
});
test.afterAll(() => stage?.end());

/** Succeeds on each host except web-2, where it fails until a file exists. */
const failing = (file: string): string =>
  `case "$SSH_CONNECTION" in *" 127.0.4.2 "*) test -f ${join(stage.folder, file)} || { echo "the disk is full" >&2; exit 28; } ;; esac; echo restarted`;

const bar = (page: Page) => page.getByTestId('pause-bar');

test('a person confirms a step, repairs a host, retries it and opens a gate', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  const planId = await stage.planOf('Roll out', [
    { key: 'prepare', name: 'Prepare', command: 'echo preparing', confirm: true },
    { key: 'restart', name: 'Restart', command: failing('first') },
    { key: 'ask', name: 'Ask the owner', type: 'gate', message: 'Does the shop still sell?' },
    { key: 'finish', name: 'Finish', command: 'echo finished' },
  ]);
  await signIn(page, stage.runward);

  await test.step('start it in the mode that confirms marked steps', async () => {
    await page.goto(`${stage.runward.url}/plans?start=${planId}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Semi-assisted' }).check();
    await dialog.getByRole('button', { name: 'Start run' }).click();
  });

  await test.step('it waits before the step that needs confirmation, and shows its command', async () => {
    await expect(bar(page)).toContainText('Waiting for your confirmation before “Prepare”');
    await expect(page.getByRole('group', { name: 'Command of Prepare' })).toHaveText('echo preparing');
    await expect(page.getByTestId('run-status')).toContainText('Waiting for confirmation');
    await takeScreenshot(page, 'decision-1-confirm');
    await bar(page).getByRole('button', { name: 'Run step' }).click();
  });

  await test.step('a host fails, and the page names it with the reason', async () => {
    await expect(bar(page)).toContainText('Hosts failed in “Restart”');
    const failed = page.getByRole('table', { name: 'Failed hosts' });
    await expect(failed.getByRole('row')).toHaveCount(1);
    await expect(failed).toContainText('web-2');
    await expect(page.getByTestId('cell-web-2-restart')).toHaveAttribute('data-status', 'FAILED');
    await takeScreenshot(page, 'decision-2-failure');
    await expectAccessible(page);
  });

  await test.step('on a phone, choices and Cancel are in a bar within reach of a thumb', async () => {
    const desktop = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    const actions = page.getByRole('group', { name: 'Actions of the run' });
    for (const name of ['Cancel', 'Choices', 'Retry failed hosts']) {
      const button = await actions.getByRole('button', { name }).boundingBox();
      expect(button?.height).toBeGreaterThanOrEqual(44);
      expect(button?.y).toBeGreaterThan(750);
    }
    await actions.getByRole('button', { name: 'Choices' }).click();
    const choice = page.getByRole('menuitem', { name: 'Continue without failed hosts' });
    expect((await choice.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await takeScreenshot(page, `decision-phone-${colorScheme}`);
    }
    await page.keyboard.press('Escape');
    await page.setViewportSize(desktop!);
  });

  await test.step('after the repair only that host is retried', async () => {
    await page.getByTestId('cell-web-2-restart').click();
    const summary = page.getByRole('region', { name: 'Output', exact: true });
    await expect(summary).toContainText('Exit code 28');
    await stage.letGo('first');
    await bar(page).getByRole('button', { name: 'Retry failed hosts' }).click();
    const dialog = page.getByRole('dialog', { name: 'Retry failed hosts' });
    await expect(dialog.getByRole('checkbox', { name: /web-2/ })).toBeChecked();
    await expect(dialog.getByRole('checkbox')).toHaveCount(1);
    await dialog.getByLabel('Comment').fill('made room');
    await takeScreenshot(page, 'decision-3-retry');
    await dialog.getByRole('button', { name: 'Retry failed hosts' }).click();
  });

  await test.step('the gate asks its question and is opened', async () => {
    await expect(page.getByTestId('pause-text')).toHaveText('Does the shop still sell?');
    const summary = page.getByRole('region', { name: 'Output', exact: true });
    await expect(summary).toContainText('Attempt 2');
    await expect(summary).toContainText('Exit code 0');
    await expect(page.getByTestId('cell-web-2-restart')).toHaveAttribute('data-status', 'SUCCEEDED');
    await takeScreenshot(page, 'decision-4-gate');
    await bar(page).getByRole('button', { name: 'Open gate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Comment').fill('it does');
    await dialog.getByRole('button', { name: 'Open gate' }).click();
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
    await expect(bar(page)).toHaveCount(0);
    await takeScreenshot(page, 'decision-5-green');
  });

  await test.step('the report has the answers, with comments', async () => {
    await page.goto(`${page.url().split('?')[0]}/report`);
    const report = page.getByRole('article', { name: 'Run report' });
    await expect(report).toContainText('Answers to pauses');
    await expect(report).toContainText(/Retry failed hosts, Restart, .+: made room/);
    await expect(report).toContainText(/Open gate, Ask the owner, .+: it does/);
    await takeScreenshot(page, 'decision-report');
  });
  expect(consoleErrors).toEqual([]);
});

test('a run continues without a failed host, and is rerun there', async ({ page }) => {
  const planId = await stage.planOf('Patch', [
    { key: 'patch', name: 'Patch', command: failing('second') },
    { key: 'report', name: 'Report', command: 'echo patched' },
  ]);
  const id = await stage.startRun(planId, 'interactive');
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/executions/${id}`);

  await test.step('it pauses before each step until the mode is changed', async () => {
    await expect(bar(page)).toContainText('Waiting for your confirmation before “Patch”');
    await page.getByRole('button', { name: 'Control' }).click();
    await takeScreenshot(page, 'decision-6-steer');
    await page.getByRole('menuitem', { name: 'Switch to semi-assisted' }).click();
    await expect(page.getByText('Semi-assisted', { exact: true })).toBeVisible();
    await bar(page).getByRole('button', { name: 'Run step' }).click();
  });

  await test.step('the failed host is excluded, and the remaining ones continue', async () => {
    await bar(page).getByRole('button', { name: 'Continue without failed hosts' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Continue without failed hosts' }).click();
    await expect(page.getByTestId('run-status')).toContainText('Partly succeeded');
    await expect(page.getByTestId('cell-web-1-report')).toHaveAttribute('data-status', 'SUCCEEDED');
    await takeScreenshot(page, 'decision-7-partly');
  });

  await test.step('it is rerun on that host, and both runs link to each other', async () => {
    await stage.letGo('second');
    await page.getByRole('button', { name: 'Rerun', exact: true }).click();
    await takeScreenshot(page, 'decision-8-rerun-menu');
    await page.getByRole('menuitem', { name: 'Unfinished steps' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('If nothing fails, every step of the run has then succeeded on every host');
    await takeScreenshot(page, 'decision-9-rerun');
    await dialog.getByRole('button', { name: 'Rerun' }).click();
    await expect(page.getByRole('link', { name: `Rerun of ${id.slice(-8)}` })).toBeVisible();
    await expect(bar(page)).toHaveCount(0);
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
    await expect(page.getByTestId('cell-web-2-patch')).toHaveAttribute('data-status', 'SUCCEEDED');
    await page.getByRole('link', { name: `Rerun of ${id.slice(-8)}` }).click();
    await expect(page.getByRole('group', { name: 'Repeated runs' })).toContainText('Reruns:');
  });
});

test('a run pauses before its next step on request', async ({ page, browser }) => {
  const planId = await stage.planOf('Slow', [
    { key: 'slow', name: 'Slow', command: `while ! test -f ${join(stage.folder, 'third')}; do sleep 0.1; done` },
    { key: 'after', name: 'After', command: 'echo after' },
  ]);
  const id = await stage.startRun(planId, 'auto');
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/executions/${id}`);
  await page.getByRole('button', { name: 'Control' }).click();
  await page.getByRole('menuitem', { name: 'Pause at next step' }).click();
  await expect(page.getByText('requested a pause')).toBeVisible();
  await takeScreenshot(page, 'decision-10-pause-asked');
  await stage.letGo('third');
  await expect(bar(page)).toContainText('Paused on request before “After”');
  await takeScreenshot(page, 'decision-11-paused');

  await test.step('a member who may not decide sees who can', async () => {
    const vera = { email: 'vera@e2e.test', password: 'a password of Vera' };
    await stage.call('POST', '/api/members', { ...vera, name: 'Vera', role: 'viewer' });
    const theirs = await openPageAs(browser, stage.runward, vera);
    await theirs.goto(page.url());
    await expect(bar(theirs)).toContainText(/Needs the Operator role\. Who can: .+ \(operators and admins\)\./);
    await theirs.getByRole('button', { name: 'Cancel', exact: true }).hover();
    await expect(theirs.getByRole('tooltip')).toContainText('Who can:');
    await expectAccessible(theirs);
    await takeScreenshot(theirs, 'decision-12-who-can');
  });
  await bar(page).getByRole('button', { name: 'Abort run' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Abort run' }).click();
  await expect(page.getByTestId('run-status')).toContainText('Cancelled');
});
