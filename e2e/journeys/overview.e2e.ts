import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { scanPage } from '../support/accessibility.js';
import { apiOf, type Call, type RecordWithId } from '../support/api.js';
import { createSshKey, registerServers } from '../support/fleet-in-runward.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { collectConsoleErrors, openPageAs, takeScreenshot } from '../support/page-helpers.js';

const PETRA = { email: 'petra@e2e.test', password: 'a password of Petra' };
const VERA = { email: 'vera@e2e.test', password: 'a password of Vera' };
const MAX_LAYOUT_SHIFT = 0.05;

let stage: BareStage;
let admin: Call;
let staging: string;
let migration: string;

async function waitFor(id: string, until: 'finished' | 'settled'): Promise<void> {
  await admin('GET', `/api/executions/${id}?wait=50&until=${until}`);
}

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.8.1', '127.0.8.2', '127.0.8.3']);
  const { runward, fleet } = stage;
  admin = await apiOf(runward);
  const sshKeyId = await createSshKey(admin, fleet);
  const environment = async (name: string, addresses: string[], settings: object): Promise<string> => {
    const { id } = await admin('POST', '/api/environments', { name });
    await registerServers(admin, fleet, { sshKeyId, environmentId: id, addresses, name });
    await admin('PATCH', `/api/environments/${id}`, settings);
    return id;
  };
  const restricted = { access: 'restricted' };
  const production = await environment('production', ['127.0.8.1'], { ...restricted, protected: true });
  staging = await environment('staging', ['127.0.8.2', '127.0.8.3'], restricted);
  const petra = await admin('POST', '/api/members', { ...PETRA, name: 'Petra', role: 'operator' });
  await admin('POST', '/api/members', { ...VERA, name: 'Vera', role: 'viewer' });
  for (const id of [production, staging])
    await admin('PUT', `/api/environments/${id}/grants/${petra.id}`, { level: 'approve' });

  const plan = async (name: string, command: string, environmentId: string) =>
    (await admin('POST', '/api/plans', { name, environmentId, steps: [{ key: 'main', name: 'Main', command }] })).id;
  const start = async (planId: string) =>
    (await admin<RecordWithId>('POST', '/api/executions', { planId, execution_mode: 'auto' })).id;
  await waitFor(await start(await plan('Check disks', 'true', staging)), 'finished');
  const space = join(stage.folder, 'space');
  migration = await plan('Migrate shop', `test -e ${space} || { echo 'disk full' >&2; exit 4; }`, staging);
  await waitFor(await start(migration), 'finished');
  await waitFor(await start(await plan('Deploy shop', 'true', production)), 'settled');
  const schedule = { name: 'Nightly check', planId: migration, environmentId: staging, execution_mode: 'auto' };
  await admin('POST', '/api/schedules', { ...schedule, cron: '0 2 * * *', timeZone: 'UTC' });
});
test.afterAll(() => stage?.end());

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const loaded = async (page: Page) => {
  await expect(region(page, 'Environment staging')).toBeVisible();
  await expect(page.getByRole('row', { name: /Migrate shop/ })).toBeVisible();
};

test('an approver finds what burns, repairs it and sees calm', async ({ browser }) => {
  const page = await openPageAs(browser, stage.runward, PETRA);
  const consoleErrors = collectConsoleErrors(page);
  await loaded(page);

  await test.step('the failure has its cause and hosts, and the environment its state', async () => {
    const failure = region(page, 'Open failures').getByRole('listitem');
    await expect(failure).toContainText('disk full');
    await expect(failure).toContainText('staging-1, staging-2 in Main');
    await expect(failure).toContainText('never succeeded here');
    const card = region(page, 'Environment staging');
    await expect(card.getByRole('list').getByRole('link')).toHaveText(['Migrate shop', 'Check disks']);
    await expect(card).toContainText('50 % of 2 runs succeeded in 30 days');
    await expect(card.getByRole('link', { name: 'Nightly check' })).toBeVisible();
    await expect(region(page, 'Environment production')).toContainText('Protected');
    const row = page.getByRole('row', { name: /Migrate shop/ });
    await expect(row.getByRole('cell').nth(1)).toContainText('Failed');
    await expect(row.getByRole('cell').first()).toContainText('–');
  });

  await test.step('approve in place', async () => {
    const waiting = region(page, 'Waiting for you');
    await expect(waiting.getByRole('listitem')).toContainText('Waiting for approval');
    await waiting.getByRole('button', { name: 'Review: Deploy shop in production' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deploy shop in production' });
    await expect(dialog.getByRole('region', { name: 'Content to approve' })).toContainText('production-1');
    await takeScreenshot(page, 'overview-review');
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve run' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(waiting).toHaveCount(0);
  });

  await test.step('the environment opens with its overview', async () => {
    await region(page, 'Environment staging').getByRole('link', { name: 'staging' }).click();
    await expect(page.getByRole('tab', { name: 'Overview' })).toHaveAttribute('aria-selected', 'true');
    await expect(region(page, 'Open failures')).toContainText('disk full');
    await expect(region(page, 'Latest results').getByRole('row', { name: /Migrate shop.*Failed/ })).toBeVisible();
    await region(page, 'Next scheduled runs').getByRole('link', { name: 'Calendar' }).click();
    await expect(page.getByRole('list', { name: 'Days' }).getByText('Nightly check').first()).toBeVisible();
    await takeScreenshot(page, 'schedule-calendar');
    await page.goto(stage.runward.url);
  });

  await test.step('rerun the failure in place', async () => {
    await stage.letGo('space');
    await page.getByRole('button', { name: 'Rerun: Migrate shop in staging' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rerun', exact: true }).click();
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
    await page.goto(stage.runward.url);
    await expect(page.getByRole('note')).toContainText('No open failures and no active runs.');
    await takeScreenshot(page, 'overview-calm');
  });

  await test.step('the trends of an environment have the same figures as text', async () => {
    await region(page, 'Environment staging')
      .getByRole('link', { name: /succeeded in 30 days/ })
      .click();
    await expect(page.getByRole('heading', { name: 'Trends', level: 1 })).toBeVisible();
    await expect(page.getByRole('row').nth(1)).toContainText(/3\s*66 %\s*1/);
    await expect(page.locator('.recharts-surface').first()).toBeVisible();
    await takeScreenshot(page, 'overview-trends');
  });
  expect(consoleErrors).toEqual([]);
  await page.context().close();
});

test('a member without a grant learns what is missing and who can give it', async ({ browser }) => {
  const page = await openPageAs(browser, stage.runward, VERA);
  await expect(page.getByText('You have no access to an environment yet')).toBeVisible();
  await expect(page.getByText(/An admin can give it to you: /)).toBeVisible();
  expect((await scanPage(page)).violations).toEqual([]);
  await takeScreenshot(page, 'overview-no-access');
  await page.context().close();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`the overview is accessible and does not move, ${colorScheme}`, async ({ browser }) => {
    const again = await admin<RecordWithId>('POST', '/api/executions', {
      ...{ planId: migration, execution_mode: 'interactive' },
    });
    await waitFor(again.id, 'settled');
    const page = await openPageAs(browser, stage.runward, PETRA);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.addInitScript(() => {
      const shifts = window as unknown as { layoutShift: number };
      shifts.layoutShift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
          shifts.layoutShift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of ['/', '/trends']) {
        await page.goto(stage.runward.url + path);
        if (path === '/') await loaded(page);
        else await expect(page.locator('.recharts-surface').first()).toBeVisible();
        const shift = await page.evaluate(() => (window as unknown as { layoutShift: number }).layoutShift);
        const { violations } = await scanPage(page);
        expect([path, width, violations]).toEqual([path, width, []]);
        expect(shift).toBeLessThan(MAX_LAYOUT_SHIFT);
        await takeScreenshot(page, `overview${path === '/' ? '' : '-trends'}-${colorScheme}-${width}`);
      }
    }
    await admin('POST', `/api/executions/${again.id}/cancel`, {});
    await waitFor(again.id, 'finished');
    await page.context().close();
  });
