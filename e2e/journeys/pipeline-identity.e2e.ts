import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf, type RecordWithId } from '../support/api.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { collectConsoleErrors, openFromMenu, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: BareStage;
let stagingId: string;

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.8.2']);
  const admin = await apiOf(stage.runward);
  const { id: environmentId } = await admin<RecordWithId>('POST', '/api/environments', { name: 'staging' });
  stagingId = environmentId;
  await admin('POST', '/api/environments', { name: 'production' });
  const steps = [{ key: 'one', name: 'One', command: 'true' }];
  await admin('POST', '/api/plans', { name: 'Deploy', environmentId, steps });
});
test.afterAll(() => stage?.end());

test('a pipeline gets a service account, a limited token, and a trust rule that replaces it', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, stage.runward);

  await test.step('add a service account', async () => {
    await openFromMenu(page, 'Service accounts');
    await page.getByRole('button', { name: 'New service account' }).first().click();
    await page.getByLabel('Name').fill('deploy pipeline');
    await page.getByLabel('Description').fill('Ask the platform team.');
    await takeScreenshot(page, 'pipeline-identity-1-account');
    await page.getByRole('button', { name: 'Create service account' }).click();
    await expect(page.getByRole('table', { name: 'Service accounts' }).getByText('deploy pipeline')).toBeVisible();
  });

  await test.step('create a token for it that sees one environment', async () => {
    await page.getByRole('button', { name: 'Actions for deploy pipeline' }).click();
    await page.getByRole('menuitem', { name: 'API tokens' }).click();
    await expect(page.getByRole('menu')).toBeHidden();
    await page.getByRole('button', { name: 'New token' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('main branch');
    await dialog.getByRole('radio', { name: 'Start and control runs' }).check();
    await dialog.getByRole('combobox', { name: 'Environments' }).click();
    await page.getByRole('option', { name: 'staging' }).click();
    await page.keyboard.press('Escape');
    await expect(dialog.getByText('It can view staging with servers, variables and runs')).toBeVisible();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await takeScreenshot(page, `pipeline-identity-2-token-${colorScheme}`);
      await expectAccessible(page);
    }
    await dialog.getByRole('button', { name: 'Create token' }).click();
    await expect(dialog.getByText('Test it:')).toBeVisible();
    await dialog.getByLabel('I saved the token').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect(page.getByRole('row', { name: /main branch/ })).toContainText('Start and control runs, in staging');
  });

  await test.step('trust the jobs of a branch', async () => {
    await openFromMenu(page, 'Trust rules');
    await page.getByRole('button', { name: 'New trust rule' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('shop, main branch');
    await dialog.getByRole('button', { name: 'GitHub Actions' }).click();
    await dialog.getByRole('button', { name: 'Use repo:acme/shop:ref:refs/heads/main' }).click();
    await dialog.getByRole('combobox', { name: 'Acts as' }).click();
    await page.getByRole('option', { name: 'deploy pipeline (service account)' }).click();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await takeScreenshot(page, `pipeline-identity-3-rule-${colorScheme}`);
      await expectAccessible(page);
    }
    await dialog.getByRole('textbox', { name: 'Subject' }).fill('repo:acme*');
    await dialog.getByRole('button', { name: 'Create trust rule' }).click();
    await expect(dialog.getByText(/must identify whom it trusts before its first/)).toBeVisible();
    await dialog.getByRole('textbox', { name: 'Subject' }).fill('repo:acme/shop:ref:refs/heads/main');
    await dialog.getByRole('button', { name: 'Create trust rule' }).click();
    await expect(page.getByRole('row', { name: /shop, main branch/ })).toContainText('deploy pipeline');
  });

  await test.step('test a token of another subject', async () => {
    await page.getByRole('button', { name: 'Test token' }).click();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'RS256' })}.${part({ iss: 'https://gitlab.com', sub: 'project_path:acme/shop' })}.AAAA`;
    await page.getByLabel('Identity token').fill(token);
    await page.getByRole('dialog').getByRole('button', { name: 'Test token' }).click();
    await expect(page.getByRole('dialog').getByRole('status')).toContainText('No trust rule names the issuer');
    await takeScreenshot(page, 'pipeline-identity-4-trial');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  });

  await test.step('it is among the members for grants, and can’t approve', async () => {
    await page.setViewportSize({ width: 420, height: 860 });
    await takeScreenshot(page, 'pipeline-identity-5-rules-narrow');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${stage.runward.url}/environments/${stagingId}?tab=access`);
    const row = page.getByRole('row', { name: /deploy pipeline/ });
    await expect(row).toContainText('Service account');
    await expect(row.getByRole('radio', { name: 'Approve' })).toBeDisabled();
    await takeScreenshot(page, 'pipeline-identity-6-grants');
  });
  expect(consoleErrors.filter((text) => !text.includes('400'))).toEqual([]);
});
