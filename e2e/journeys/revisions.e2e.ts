import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type Runward, startRunward } from '../support/runward.js';
import { collectConsoleErrors, openPageAs, takeScreenshot, signIn, openPlanEditor } from '../support/page-helpers.js';

const VERA = { email: 'vera@example.test', password: 'correct horse battery staple' };

let runward: Runward;

test.beforeAll(async () => {
  runward = await startRunward();
});
test.afterAll(() => runward?.stop());

test('a plan shows why it was changed, compares any two revisions, and restores an earlier one', async ({
  page,
  browser,
}) => {
  const consoleErrors = collectConsoleErrors(page);
  const call = await apiOf(runward);
  await call('POST', '/api/members', { ...VERA, name: 'Vera', role: 'viewer' });
  const { id } = await call('POST', '/api/plans', {
    name: 'Restart web',
    steps: [
      { key: 'drain', command: 'lb drain web' },
      { key: 'restart', command: 'systemctl restart web' },
      { key: 'check', command: 'curl -fsS localhost' },
    ],
    message: 'As the runbook has it',
  });
  await signIn(page, runward);
  const comparison = page.getByRole('region', { name: 'Comparison' });
  const lines = page.getByRole('group', { name: 'Changed lines' });
  const dialog = page.getByRole('dialog');

  await test.step('a save has a reason, in the form and as YAML', async () => {
    await page.goto(`${runward.url}/plans/${id}?tab=edit`);
    await expect(page.getByLabel('Change message (shown in the history)')).toHaveCount(0);
    const second = page.getByRole('region', { name: 'Step 2' });
    await second.getByLabel(/^Command/).fill('systemctl reload web');
    await page.getByLabel('Change message (shown in the history)').fill('Reload keeps connections\nSee incident 71');
    await takeScreenshot(page, 'revisions-1-why');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Revision 2 saved')).toBeVisible();
    await page.getByText('YAML', { exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Plan as YAML' });
    await expect(editor).toContainText('systemctl reload web');
    await editor.press('ControlOrMeta+End');
    await editor.pressSequentially('    timeoutSeconds: 30');
    await page.getByLabel('Change message (shown in the history)').fill('It answers at once or never');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Revision 3 saved')).toBeVisible();
  });

  await test.step('any two revisions are compared', async () => {
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await expect(page.getByRole('button', { name: /^Revision 3/ })).toContainText('It answers at once or never');
    await expect(page.getByRole('button', { name: /^Revision 2/ })).toContainText('See incident 71');
    await expect(page.getByRole('button', { name: /^Revision 1/ })).toContainText('As the runbook has it');
    await page.getByRole('checkbox', { name: 'Compare revision 1' }).check();
    await expect(comparison).toContainText('Select another revision to compare with revision 1.');
    await page.getByRole('checkbox', { name: 'Compare revision 3' }).check();
    await expect(comparison.getByRole('list', { name: 'Differences' })).toHaveText(
      'Step restart changed: commandStep check changed: timeoutSeconds',
    );
    await expect(lines).toContainText('command: systemctl reload web');
    await expect(page).toHaveURL(/later=3&earlier=1/);
    await takeScreenshot(page, 'revisions-2-compared');
    await expectAccessible(page);
    await page.reload();
    await expect(lines).toContainText('timeoutSeconds: 30');
    await page.getByRole('checkbox', { name: 'Compare revision 2' }).check();
    await expect(comparison.getByRole('heading')).toHaveText('From revision 1 to revision 2');
    await expect(lines).not.toContainText('timeoutSeconds: 30');
    await comparison.getByRole('button', { name: 'Close comparison' }).click();
    await expect(comparison).toHaveCount(0);
  });

  await test.step('a viewer compares, and cannot restore', async () => {
    const vera = await openPageAs(browser, runward, VERA);
    await vera.goto(`${runward.url}/plans/${id}?tab=revisions&revision=2`);
    await vera.getByRole('button', { name: 'Show changes' }).click();
    await expect(vera.getByRole('group', { name: 'Changed lines' })).toContainText('systemctl reload web');
    const restore = vera.getByRole('button', { name: 'Restore revision 2' });
    await expect(restore).toHaveAttribute('aria-disabled', 'true');
    await restore.click({ force: true });
    await expect(vera.getByRole('dialog')).toHaveCount(0);
  });

  await test.step('an earlier revision is restored, also over a change that another member has just saved', async () => {
    await page.getByRole('button', { name: /^Revision 1/ }).click();
    await page.getByRole('button', { name: 'Compare with latest' }).click();
    await expect(comparison.getByRole('heading')).toHaveText('From revision 1 to revision 3');
    await call('PATCH', `/api/plans/${id}`, { steps: [{ key: 'only', command: 'true' }] });
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await expect(dialog).toContainText('Restore revision 1 of Restart web?');
    await expectAccessible(page);
    await takeScreenshot(page, 'revisions-3-restore');
    await dialog.getByRole('button', { name: 'Restore revision 1' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Someone else saved a new revision.');
    await dialog.getByLabel('Change message (shown in the history)').fill('Reloading lost the workers');
    await dialog.getByRole('button', { name: 'Restore revision 1' }).click();
    await expect(page.getByText('Restored revision 1 as revision 5.')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Revision 5/ })).toContainText('Reloading lost the workers');
    await openPlanEditor(page);
    await expect(page.getByRole('region', { name: 'Step 2' }).getByLabel(/^Command/)).toHaveValue(
      'systemctl restart web',
    );
    await expect(page.getByText('Revision 5 saved')).toBeVisible();
  });

  await test.step('unsaved input stays when the plan is restored', async () => {
    await page
      .getByRole('region', { name: 'Step 2' })
      .getByLabel(/^Command/)
      .fill('typed and not saved');
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByRole('button', { name: /^Revision 2/ }).click();
    await page.getByRole('button', { name: 'Restore revision 2' }).click();
    await dialog.getByRole('button', { name: 'Restore revision 2' }).click();
    await expect(page.getByText('Restored revision 2 as revision 6.')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Revision 6/ })).toContainText('Restored revision 2');
    await openPlanEditor(page);
    await expect(page.getByRole('region', { name: 'Step 2' }).getByLabel(/^Command/)).toHaveValue(
      'typed and not saved',
    );
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect(page.getByText('Revision 6 saved')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Step 2' }).getByLabel(/^Command/)).toHaveValue(
      'systemctl reload web',
    );
  });

  await test.step('on a narrow screen in the dark theme too', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${runward.url}/plans/${id}?tab=revisions&revision=2&earlier=1&later=3`);
    await expect(lines).toContainText('systemctl reload web');
    await takeScreenshot(page, 'revisions-4-narrow');
    await expectAccessible(page);
    const box = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(box[0]).toBeLessThanOrEqual(box[1] ?? 0);
  });
  expect(consoleErrors.filter((text) => !text.includes('412'))).toEqual([]);
});

test('scripts and templates have the same functions', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  const call = await apiOf(runward);
  const script = await call('POST', '/api/scripts', { name: 'rotate', content: 'echo one\n', message: 'First' });
  const template = await call('POST', '/api/templates', { name: 'site.conf', content: 'listen 80;\n' });
  await signIn(page, runward);
  const lines = page.getByRole('group', { name: 'Changed lines' });

  await test.step('a script is saved with a reason, compared and restored', async () => {
    await page.goto(`${runward.url}/scripts/${script.id}`);
    await page.getByLabel(/^Content/).fill('echo two\n');
    await page.getByLabel(/^Interpreter/).fill('bash');
    await page.getByLabel('Change message (shown in the history)').fill('bash has arrays');
    await takeScreenshot(page, 'revisions-5-script');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Revision 2 saved')).toBeVisible();
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await page.getByRole('button', { name: /^Revision 2/ }).click();
    await expect(page.getByRole('button', { name: /^Revision 2/ })).toContainText('bash has arrays');
    await page.getByRole('button', { name: 'Show changes' }).click();
    await expect(page.getByRole('list', { name: 'Differences' })).toHaveText('Interpreter: line 1 → bash');
    await expect(lines).toContainText('echo two');
    await takeScreenshot(page, 'revisions-6-script-compared');
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Revision 1/ }).click();
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore revision 1' }).click();
    await expect(page.getByText('Restored revision 1 as revision 3.')).toBeVisible();
    await page.getByRole('tab', { name: 'Script', exact: true }).click();
    await expect(page.getByLabel(/^Content/)).toHaveText('echo one');
    await expect(page.getByLabel(/^Interpreter/)).toHaveValue('');
  });

  await test.step('a template too', async () => {
    await call('PATCH', `/api/templates/${template.id}`, { content: 'listen 443;\n', message: 'TLS only' });
    await page.goto(`${runward.url}/templates/${template.id}?tab=revisions&earlier=1&later=2`);
    await expect(lines).toContainText('listen 443;');
    await page.getByRole('button', { name: /^Revision 1/ }).click();
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore revision 1' }).click();
    await expect(page.getByText('Restored revision 1 as revision 3.')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Revision 3/ })).toContainText('Restored revision 1');
    await page.getByRole('tab', { name: 'Template', exact: true }).click();
    await expect(page.getByLabel(/^Content/)).toHaveText('listen 80;');
  });
  expect(consoleErrors).toEqual([]);
});
