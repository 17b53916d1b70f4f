import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type RecordWithId } from '../support/api.js';
import { createSshKey, registerServers } from '../support/fleet-in-runward.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: BareStage;
let environmentId: string;
let planId: string;
/** Schedule that is due each minute from the beginning, so that it has started a run when the test needs one. */
let minuteScheduleId: string;

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.8.1']);
  const { runward, fleet } = stage;
  const admin = await apiOf(runward);
  const sshKeyId = await createSshKey(admin, fleet);
  environmentId = (await admin<RecordWithId>('POST', '/api/environments', { name: 'staging' })).id;
  await registerServers(admin, fleet, { sshKeyId, environmentId, addresses: ['127.0.8.1'], name: 'staging' });
  const steps = [{ key: 'one', name: 'One', command: 'echo {{ WHAT }}' }];
  const variables = [{ name: 'WHAT', type: 'string', required: true }];
  planId = (await admin<RecordWithId>('POST', '/api/plans', { name: 'Nightly', environmentId, variables, steps })).id;
  const due = { cron: '* * * * *', timeZone: 'UTC', variables: { WHAT: 'minute' } };
  const schedule = { name: 'Each minute', planId, execution_mode: 'auto', ...due };
  minuteScheduleId = (await admin<RecordWithId>('POST', '/api/schedules', schedule)).id;
});
test.afterAll(() => stage?.end());

test('a schedule shows its next times, starts a run, is paused, and is held back by run windows', async ({ page }) => {
  test.setTimeout(180_000);
  const consoleErrors = collectConsoleErrors(page);
  const { url } = stage.runward;
  await signIn(page, stage.runward);

  await test.step('the form shows the next times, or what is wrong', async () => {
    await page.goto(`${url}/schedules/new?plan=${planId}`);
    await page.getByLabel('Name').fill('Every night');
    await page.getByLabel('WHAT').fill('restart');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin');
    await page.getByRole('option', { name: 'Europe/Berlin', exact: true }).click();
    await page.getByLabel('Cron expression').fill('30 25 * * *');
    await expect(page.getByText('field 2, the hour, is "25". It takes 0 to 23')).toBeVisible();
    await page.getByLabel('Cron expression').fill('30 2 * * *');
    await expect(page.getByRole('list', { name: 'Next occurrences' }).getByRole('listitem')).toHaveCount(10);
    await expect(page.getByRole('list', { name: 'Next occurrences' })).toContainText(/02:30 CES?T/);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await takeScreenshot(page, `schedules-1-new-${colorScheme}`);
      await expectAccessible(page);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await expect(page.getByRole('heading', { name: 'Every night', level: 1 })).toBeVisible();
  });

  await test.step('pause and resume', async () => {
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason').fill('Until the database has moved');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByText('Until the database has moved')).toBeVisible();
    await takeScreenshot(page, 'schedules-3-paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();
    await page.setViewportSize({ width: 390, height: 800 });
    await takeScreenshot(page, 'schedules-3-narrow');
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  await test.step('it fires, and the run names what started it', async () => {
    await page.goto(`${url}/schedules/${minuteScheduleId}`);
    const fires = page.getByRole('table', { name: 'Occurrences' });
    await expect(fires.getByText('Succeeded').first()).toBeVisible({ timeout: 90_000 });
    await takeScreenshot(page, 'schedules-2-started');
    await expectAccessible(page);
    await fires.getByRole('link', { name: 'Open run' }).first().click();
    await expect(page.getByRole('link', { name: 'Each minute' })).toBeVisible();
  });

  await test.step('run windows of the environment hold it back, and the start dialog says so', async () => {
    await page.goto(`${url}/environments/${environmentId}?tab=windows`);
    await page.getByRole('switch', { name: 'Limit starts to run windows' }).check();
    const hour = (new Date().getUTCHours() + 12) % 24;
    await page.getByRole('combobox', { name: 'Time zone' }).fill('UTC');
    await page.getByRole('option', { name: 'UTC', exact: true }).click();
    for (const day of ['Saturday', 'Sunday']) await page.getByLabel(day, { exact: true }).press('Space');
    await page.getByLabel('From').fill(`${String(hour).padStart(2, '0')}:00`);
    await page.getByLabel('To', { exact: true }).fill(`${String(hour).padStart(2, '0')}:30`);
    await page.getByRole('button', { name: 'Save run windows' }).click();
    await expect(page.getByText(/Outside the run windows until/)).toBeVisible();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await takeScreenshot(page, `schedules-4-windows-${colorScheme}`);
      await expectAccessible(page);
    }
    await page.goto(`${url}/schedules`);
    await expect(page.getByRole('row', { name: /Each minute/ })).toContainText('Nightly in staging');
    await takeScreenshot(page, 'schedules-5-list');
    await expectAccessible(page);
    await page.goto(`${url}/plans/${planId}?start=${planId}`);
    await expect(page.getByRole('dialog').getByText(/Outside the run windows until/)).toBeVisible();
    await page.getByLabel('Start outside the run windows').check();
    await expect(page.getByLabel('Reason')).toBeVisible();
    await takeScreenshot(page, 'schedules-6-start');
  });
  expect(consoleErrors.filter((text) => !text.includes('400'))).toEqual([]);
});
