import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type Runward, startRunward } from '../support/runward.js';
import { collectConsoleErrors, takeScreenshot, signIn, openPlanEditor } from '../support/page-helpers.js';

let runward: Runward;

test.beforeAll(async () => {
  runward = await startRunward();
});
test.afterAll(() => runward?.stop());

const FAULTY_PLAN = `# Owned by the web team.
name: Restart web
environment: staging
steps:
  - key: restart
    comand: systemctl restart web
`;
const JOBS = `- name: Nightly
  loglevel: INFO
  nodefilters:
    filter: 'tags: web'
  schedule:
    crontab: 0 0 3 ? * * *
  sequence:
    keepgoing: false
    strategy: sequential
    commands:
    - exec: echo nightly
    - jobref: {name: Other}
`;

test('plans are imported, edited as text and as form, and exported again', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  const call = await apiOf(runward);
  await call('POST', '/api/environments', { name: 'staging' });
  await signIn(page, runward);
  const text = page.getByLabel(/^Text/);

  await test.step('an error in a text is reported with its line, corrected and imported', async () => {
    await page.goto(`${runward.url}/plans`);
    await page.getByRole('link', { name: 'Import' }).click();
    await text.fill(FAULTY_PLAN);
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByRole('list', { name: 'Errors' })).toContainText('Line 6, column 5');
    await expect(page.getByRole('list', { name: 'Errors' })).toContainText('The closest known name is "command".');
    await takeScreenshot(page, 'as-code-1-faults');
    await text.fill(FAULTY_PLAN.replace('comand', 'command'));
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Restart web');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Import 1 plan' }).click();
    await page.getByRole('region', { name: 'Result' }).getByRole('link', { name: 'Restart web' }).click();
    await expect(page.getByRole('heading', { name: 'Restart web', level: 1 })).toBeVisible();
  });

  const editor = page.getByRole('textbox', { name: 'Plan as YAML' });
  await test.step('its form shows the same, and the text keeps its comment', async () => {
    await openPlanEditor(page);
    await expect(page.getByRole('region', { name: 'Step 1' }).getByLabel(/^Key/)).toHaveValue('restart');
    await page.getByText('YAML', { exact: true }).click();
    await expect(editor).toContainText('# Owned by the web team.');
    await expect(page.getByText('Valid.')).toBeVisible();
    await expectAccessible(page);
    await takeScreenshot(page, 'as-code-2-text');
  });

  await test.step('errors appear while typing, and fields are completed', async () => {
    await editor.press('ControlOrMeta+End');
    await editor.pressSequentially('    timeoutSecs: 30');
    await expect(page.getByRole('list', { name: 'Errors' })).toContainText('"timeoutSeconds"');
    await page.getByText('Form', { exact: true }).click();
    await expect(page.getByText(/The form cannot display this text: line 7/)).toBeVisible();
    await takeScreenshot(page, 'as-code-3-fault');
    for (let count = 0; count < 'Secs: 30'.length; count += 1) await editor.press('Backspace');
    await editor.press('ControlOrMeta+Space');
    await page.getByRole('option', { name: /timeoutSeconds/ }).click();
    await editor.pressSequentially('30');
    await expect(page.getByText('Valid.')).toBeVisible();
  });

  await test.step('text changes appear in the form, and form changes in the text', async () => {
    await page.getByText('Form', { exact: true }).click();
    const step = page.getByRole('region', { name: 'Step 1' });
    await step.getByLabel(/^Command/).fill('systemctl reload web');
    await page.getByText('YAML', { exact: true }).click();
    await expect(editor).toContainText('# Owned by the web team.');
    await expect(editor).toContainText('command: systemctl reload web');
    await expect(editor).toContainText('timeoutSeconds: 30');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Revision 2 saved')).toBeVisible();
  });

  await test.step('the download is the saved text', async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Download as YAML' }).click();
    expect((await download).suggestedFilename()).toBe('Restart-web.yaml');
  });

  await test.step('jobs of Rundeck show what cannot be imported before they become plans', async () => {
    await page.goto(`${runward.url}/plans/import`);
    await text.fill(JOBS);
    await expect(page.getByLabel('Format').first()).toHaveValue('Jobs of Rundeck in YAML or JSON');
    await page.getByRole('button', { name: 'Preview' }).click();
    const lost = page.getByRole('list', { name: 'Not imported' });
    await expect(lost).toContainText('schedule (line 5, Nightly)');
    await expect(lost).toContainText('job reference Other (line 12, Nightly, step 2)');
    await expectAccessible(page);
    await takeScreenshot(page, 'as-code-4-jobs');
    await page.getByRole('button', { name: 'Import 1 plan' }).click();
    await expect(page.getByRole('region', { name: 'Result' })).toContainText('1 plan imported');
  });

  await test.step('on a narrow screen in the dark theme too', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await takeScreenshot(page, 'as-code-5-narrow-result');
    await page.goto(`${runward.url}/plans/new`);
    await page.getByText('YAML', { exact: true }).click();
    await expect(editor).toBeVisible();
    await takeScreenshot(page, 'as-code-6-narrow-text');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
  expect(consoleErrors.filter((complaint) => !/400/.test(complaint))).toEqual([]);
});
