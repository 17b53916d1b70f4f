import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type RecordWithId } from '../support/api.js';
import { createSshKey, registerServers } from '../support/fleet-in-runward.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { collectConsoleErrors, openFromMenu, openPageAs, takeScreenshot, signIn } from '../support/page-helpers.js';

const SECOND = { email: 'vera@e2e.test', password: 'another admin here' };
const VIEWER = { email: 'tom@e2e.test', password: 'only looks at runs' };

let stage: BareStage;
const runs: string[] = [];

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.8.1']);
  const { runward, fleet } = stage;
  const admin = await apiOf(runward);
  const sshKeyId = await createSshKey(admin, fleet);
  const { id: environmentId } = await admin('POST', '/api/environments', { name: 'staging' });
  await registerServers(admin, fleet, { sshKeyId, environmentId, addresses: ['127.0.8.1'], name: 'staging' });
  const steps = [{ key: 'one', name: 'One', command: 'echo one' }];
  await admin('POST', '/api/members', { ...SECOND, name: 'Vera', role: 'admin' });
  await admin('POST', '/api/members', { ...VIEWER, name: 'Tom', role: 'viewer' });
  // A second admin may confirm only a week after the first admin added her.
  const { tenant } = await admin<{ tenant: RecordWithId }>('GET', '/api/auth/me');
  await runward.query?.(`select set_config('app.tenant', $1, false)`, [tenant.id]);
  await runward.query?.(`update given_rights set given_at = now() - interval '8 days'`);
  const plan = await admin('POST', '/api/plans', { name: 'Nightly', environmentId, steps });
  for (let count = 0; count < 6; count += 1) {
    const run = await admin<RecordWithId>('POST', '/api/executions', { planId: plan.id, execution_mode: 'auto' });
    await admin('GET', `/api/executions/${run.id}?wait=50&until=settled`);
    runs.push(run.id);
  }
});
test.afterAll(() => stage?.end());

async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await takeScreenshot(page, `${name}-${colorScheme}`);
    await expectAccessible(page);
  }
}

test('a run is pinned or held, one is deleted, and a rule previews its deletions', async ({ page, browser }) => {
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, stage.runward);

  await test.step('pin the first run', async () => {
    await page.goto(`${stage.runward.url}/executions/${runs[0]}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Pin/ }).click();
    await page.getByLabel('Reason').fill('The audit asks for it');
    await takeScreenshot(page, 'retention-1-pin');
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await expect(page.getByText('Pinned', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await expect(page.getByRole('menuitem', { name: 'Delete run' })).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('Escape');
  });

  await test.step('put it under a legal hold, which lists show and two admins lift', async () => {
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Set legal hold/ }).click();
    const reason = page.getByLabel(/^Reason/);
    await expect(reason).toHaveValue('The audit asks for it');
    await reason.fill('Case 12: keep all evidence');
    await look(page, 'retention-6-set-hold');
    await page.getByRole('button', { name: 'Set legal hold' }).click();
    const hold = (place: Page) => place.getByRole('alert').filter({ hasText: 'Under a legal hold' });
    await expect(hold(page)).toContainText('Case 12: keep all evidence');
    await hold(page).getByRole('button', { name: 'Request to lift…' }).click();
    await page.getByRole('button', { name: 'Send request' }).click();
    await expect(hold(page)).toContainText('It is lifted when a second admin agrees by');
    await expect(hold(page).getByRole('button')).toHaveText(['Withdraw request']);

    const tom = await openPageAs(browser, stage.runward, VIEWER);
    await tom.goto(page.url());
    await expect(hold(tom)).toContainText('Case 12: keep all evidence');
    await expect(hold(tom).getByRole('button')).toHaveCount(0);

    await openFromMenu(page, 'Retention');
    await page.getByRole('link', { name: '1 run under a legal hold' }).click();
    const listed = page.getByRole('table', { name: 'Runs', exact: true }).getByRole('row');
    await expect(listed).toHaveCount(2);
    await expect(listed.last()).toContainText('Legal hold');
    await look(page, 'retention-7-held-runs');

    const vera = await openPageAs(browser, stage.runward, SECOND);
    await vera.goto(tom.url());
    await look(vera, 'retention-8-second-admin');
    await hold(vera).getByRole('button', { name: 'Lift legal hold…' }).click();
    await vera.getByRole('button', { name: 'Lift legal hold', exact: true }).click();
    await expect(hold(vera)).toHaveCount(0);
    await vera.getByRole('button', { name: 'More', exact: true }).click();
    await vera.getByRole('menuitem', { name: /^Pin/ }).click();
    await vera.getByRole('button', { name: 'Pin', exact: true }).click();
    await expect(vera.getByText('Pinned', { exact: true })).toBeVisible();
  });

  await test.step('delete the second', async () => {
    await page.goto(`${stage.runward.url}/executions/${runs[1]}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Delete run' }).click();
    await takeScreenshot(page, 'retention-2-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete run' }).click();
    await expect(page.getByRole('heading', { name: 'Runs', level: 1 })).toBeVisible();
    await expect(
      page.getByRole('table', { name: 'Runs', exact: true }).getByRole('link', { name: 'Nightly' }),
    ).toHaveCount(5);
  });

  await test.step('a rule that would delete more than half warns, and needs confirmation', async () => {
    await openFromMenu(page, 'Retention');
    await expect(
      page.getByRole('table', { name: 'Storage by environment' }).getByRole('row', { name: /staging/ }),
    ).toContainText('5');
    await page.getByRole('button', { name: 'Change tenant rule' }).click();
    await page.getByLabel('Runs', { exact: true }).fill('1');
    await expect(page.getByText('3 runs of 5 would be deleted')).toBeVisible();
    await expect(page.getByText('Exceed a limit, but are kept: 1 pinned.')).toBeVisible();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByLabel(/Allow deleting more than half/).check();
    await look(page, 'retention-3-rule');
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(page.getByText('At most 1 run')).toBeVisible();
  });

  await test.step('due runs are deleted, the pinned run and the newest remain', async () => {
    await page.getByRole('button', { name: 'Delete due runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText('3 runs deleted')).toBeVisible({ timeout: 40_000 });
    await expect(
      page.getByRole('table', { name: 'Storage by environment' }).getByRole('row', { name: /staging/ }),
    ).toContainText('2');
    await look(page, 'retention-4-storage');
    await page.goto(`${stage.runward.url}/executions/${runs[0]}`);
    await expect(page.getByText('Pinned', { exact: true })).toBeVisible();
    await takeScreenshot(page, 'retention-5-pinned');
  });
  expect(consoleErrors.filter((text) => !text.includes('409'))).toEqual([]);
});
