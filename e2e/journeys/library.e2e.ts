import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type Runward, startRunward } from '../support/runward.js';
import { choose, collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

let runward: Runward;

test.beforeAll(async () => {
  runward = await startRunward();
});
test.afterAll(() => runward?.stop());

test('scripts and templates are written, changed and named by the plans that use them', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  const call = await apiOf(runward);
  const { id: environmentId } = await call('POST', '/api/environments', { name: 'staging' });
  await call('PUT', `/api/environments/${environmentId}/variables/PORT`, { value: '8443' });
  await signIn(page, runward);

  await test.step('a script that was changed once keeps both contents', async () => {
    await page.goto(`${runward.url}/scripts/new`);
    await page.getByLabel(/^Name/).fill('tidy');
    await page.getByLabel(/^Content/).fill('echo the first');
    await page.getByRole('button', { name: 'Create script' }).click();
    await expect(page.getByRole('heading', { name: 'tidy', level: 1 })).toBeVisible();
    await page.getByLabel(/^Content/).fill('echo the second');
    await page.getByRole('button', { name: 'Show changes' }).click();
    await expect(page.getByRole('group', { name: 'Unsaved changes' })).toContainText('echo the first');
    await page.reload();
    await page.getByRole('button', { name: 'Restore unsaved edits' }).click();
    await expect(page.getByLabel(/^Content/)).toHaveText('echo the second');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Revision 2 saved')).toBeVisible();
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByRole('button', { name: /Revision 1/ }).click();
    await expect(page.getByText('echo the first')).toBeVisible();
    await expect(page).toHaveURL(/tab=revisions&revision=1/);
    await takeScreenshot(page, 'library-1-script');
    await expectAccessible(page);
  });

  await test.step('a script shows its interpreter, and its mistakes with fixes', async () => {
    const bash = '#!/bin/bash -e\necho one\n';
    const { id } = await call('POST', '/api/scripts', { name: 'rotate', content: bash });
    await call('PATCH', `/api/scripts/${id}`, {
      content: `\uFEFF${bash.replaceAll('\n', '\r\n')}`,
      interpreter: '/bin/sh',
    });
    await page.goto(`${runward.url}/scripts/${id}`);
    await expect(page.getByText('Runs with /bin/sh (set as interpreter).')).toBeVisible();
    await expect(page.getByText('Line 1 names "/bin/bash -e", but "/bin/sh" runs the script.')).toBeVisible();
    await takeScreenshot(page, 'library-1b-script-warnings');
    await expectAccessible(page);
    for (const repair of ['Remove interpreter', 'Remove BOM', 'Convert to LF']) {
      await page.getByRole('button', { name: repair }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await expect(page.getByRole('button', { name: repair })).toBeHidden();
      await expect(page.getByText(/^Runs with/)).toBeVisible();
    }
    await expect(page.getByText('Runs with /bin/bash -e (line 1).')).toBeVisible();
    const saved = await call('GET', `/api/scripts/${id}`);
    expect(saved).toMatchObject({ content: bash, interpreter: null, warnings: [] });
    await call('DELETE', `/api/scripts/${id}`);
  });

  await test.step('a template shows its rendered text', async () => {
    await page.goto(`${runward.url}/templates/new`);
    await page.getByLabel(/^Name/).fill('shop.conf');
    await page.getByLabel(/^Content/).fill('listen {{ PORT }};');
    await choose(page, 'Environment', 'staging');
    await expect(page.getByLabel('Rendered file')).toHaveText('listen 8443;');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create template' }).click();
    await expect(page.getByRole('heading', { name: 'shop.conf', level: 1 })).toBeVisible();
    await choose(page, 'Environment', 'staging');
    await expect(page.getByLabel('Rendered file')).toHaveText('listen 8443;');
    const content = page.getByLabel(/^Content/);
    await content.fill('listen {{ PORT }};\nuser {{ OWNER }};');
    await expect(page.getByLabel('Rendered file')).toContainText('user ‹no value for OWNER›;');
    await page.getByRole('button', { name: 'Line 2, column 9' }).click();
    await expect(content).toBeFocused();
    await content.fill('listen {{ PORT | regex_serch: "x" }};');
    await expect(page.getByRole('alert')).toContainText('Did you mean "regex_search"?');
    await content.fill('listen {{ PORT }};');
    await expect(page.getByLabel('Rendered file')).toHaveText('listen 8443;');
    await takeScreenshot(page, 'library-2-template');
    await expectAccessible(page);
  });

  const first = async (path: string) =>
    (await call<{ items: { id: string }[] }>('GET', path)).items.map(({ id }) => id)[0];
  const [scriptId, templateId] = [await first('/api/scripts'), await first('/api/templates')];
  const { id: planId } = await call('POST', '/api/plans', {
    name: 'Set up',
    environmentId,
    steps: [
      { key: 'tidy', name: 'Tidy', type: 'script', scriptId, arguments: ['--all'] },
      { key: 'conf', name: 'Configure', type: 'template', templateId, path: '/etc/shop.conf' },
    ],
  });

  await test.step('the plan’s revisions name both, and who saved them', async () => {
    await page.goto(`${runward.url}/plans/${planId}?tab=revisions&revision=1`);
    await expect(page.getByRole('button', { name: /Revision 1/ })).toContainText('Admin');
    await expect(page.getByRole('link', { name: 'shop.conf' })).toBeVisible();
    // The plan's form remains in the page behind the other tabs, so the search is limited to this tab.
    await expect(page.getByRole('tabpanel', { name: 'Revisions' }).getByText('--all')).toBeVisible();
    await takeScreenshot(page, 'library-3-plan');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'tidy' }).click();
    await expect(page.getByRole('heading', { name: 'tidy', level: 1 })).toBeVisible();
  });

  await test.step('content that a plan uses can’t be deleted before the plan', async () => {
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete script' }).click();
    await expect(dialog).toContainText('plan Set up');
    await call('DELETE', `/api/plans/${planId}`);
    await dialog.getByRole('button', { name: 'Delete script' }).click();
    await expect(page).toHaveURL(/\/scripts$/);
    await expect(page.getByText('No scripts yet')).toBeVisible();
  });
  expect(consoleErrors.filter((text) => !/40[09]/.test(text))).toEqual([]);
});
