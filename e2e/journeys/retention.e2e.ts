import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type Identified } from '../support/api.js';
import { keyFor, registerServers } from '../support/fleet-in-runward.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { complaintsOf, inMenu, picture, signIn } from '../support/story.js';

let stage: BareStage;
const runs: string[] = [];

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.8.1']);
  const { runward, fleet } = stage;
  const admin = await apiOf(runward);
  const sshKeyId = await keyFor(admin, fleet);
  const { id: environmentId } = await admin('POST', '/api/environments', { name: 'staging' });
  await registerServers(admin, fleet, { sshKeyId, environmentId, addresses: ['127.0.8.1'], name: 'staging' });
  const steps = [{ key: 'one', name: 'One', command: 'echo one' }];
  const plan = await admin('POST', '/api/plans', { name: 'Nightly', environmentId, steps });
  for (let count = 0; count < 6; count += 1) {
    const run = await admin<Identified>('POST', '/api/executions', { planId: plan.id, execution_mode: 'auto' });
    await admin('GET', `/api/executions/${run.id}?wait=50&until=settled`);
    runs.push(run.id);
  }
});
test.afterAll(() => stage?.end());

test('a run is pinned, one is deleted, and a rule says first what it would delete', async ({ page }) => {
  const complaints = complaintsOf(page);
  await signIn(page, stage.runward);

  await test.step('pin the first run', async () => {
    await page.goto(`${stage.runward.url}/executions/${runs[0]}`);
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('menuitem', { name: /^Pin/ }).click();
    await page.getByLabel('Why').fill('The audit asks for it');
    await picture(page, 'retention-1-pin');
    await page.getByRole('button', { name: 'Pin', exact: true }).click();
    await expect(page.getByText('Pinned', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Keep' }).click();
    await expect(page.getByRole('menuitem', { name: 'Delete the run' })).toHaveAttribute('aria-disabled', 'true');
    await page.keyboard.press('Escape');
  });

  await test.step('delete the second', async () => {
    await page.goto(`${stage.runward.url}/executions/${runs[1]}`);
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('menuitem', { name: 'Delete the run' }).click();
    await picture(page, 'retention-2-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the run' }).click();
    await expect(page.getByRole('heading', { name: 'Runs', level: 1 })).toBeVisible();
    await expect(
      page.getByRole('table', { name: 'Runs', exact: true }).getByRole('link', { name: 'Nightly' }),
    ).toHaveCount(5);
  });

  await test.step('a rule that would delete more than half is told, and asks again', async () => {
    await inMenu(page, 'Storage').click();
    await expect(
      page.getByRole('table', { name: 'Storage by environment' }).getByRole('row', { name: /staging/ }),
    ).toContainText('5');
    await page.getByRole('button', { name: 'Change the rule' }).click();
    await page.getByLabel('Runs', { exact: true }).fill('1');
    await expect(page.getByText('3 runs of 5 would be deleted')).toBeVisible();
    await expect(page.getByText('Due, but kept: 1 pinned.')).toBeVisible();
    await page.getByRole('button', { name: 'Save rule' }).click();
    await page.getByLabel(/Delete more than half/).check();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `retention-3-rule-${colorScheme}`);
      await expectAccessible(page);
    }
    await page.getByRole('button', { name: 'Save rule' }).click();
    await expect(page.getByText('At most 1 run')).toBeVisible();
  });

  await test.step('what is due goes, the pinned run and the newest stay', async () => {
    await page.getByRole('button', { name: 'Delete what is due' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText('3 runs deleted')).toBeVisible({ timeout: 40_000 });
    await expect(
      page.getByRole('table', { name: 'Storage by environment' }).getByRole('row', { name: /staging/ }),
    ).toContainText('2');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `retention-4-storage-${colorScheme}`);
      await expectAccessible(page);
    }
    await page.goto(`${stage.runward.url}/executions/${runs[0]}`);
    await expect(page.getByText('Pinned', { exact: true })).toBeVisible();
    await picture(page, 'retention-5-pinned');
  });
  // The browser complains of the question for a confirmation.
  expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
});
