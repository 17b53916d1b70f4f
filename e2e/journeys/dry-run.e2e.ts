import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: Stage;
let planId: string;

const [LOOK, CONFIGURE, REPORT] = [
  {
    key: 'look',
    name: 'Look',
    command: 'echo load=1 >> "$RUNWARD_OUTPUT"',
    outputs: ['load'],
    readOnly: true,
  },
  {
    key: 'configure',
    name: 'Configure',
    command: 'echo configure {{ RELEASE }}',
    check: 'case "$SSH_CONNECTION" in *" 127.0.5.2 "*) printf -- "-old\\n+new\\n"; exit 1 ;; esac',
  },
  { key: 'report', name: 'Report', command: 'echo {{ steps.look.outputs.load }}' },
];
const STEPS = [LOOK, CONFIGURE, REPORT];

test.beforeAll(async () => {
  stage = await startStage(['127.0.5.1', '127.0.5.2']);
  planId = await stage.planOf('Configure web', STEPS, {
    variables: [{ name: 'RELEASE', type: 'string', default: '2.4.1' }],
  });
});
test.afterAll(() => stage?.end());

test('a dry run predicts the changes, and exactly that is started', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await signIn(page, stage.runward);

  await test.step('start a dry run', async () => {
    await page.goto(`${stage.runward.url}/plans?start=${planId}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Dry run' }).check();
    await dialog.getByLabel('RELEASE').fill('2.5.0');
    await dialog.getByRole('button', { name: 'Start dry run' }).click();
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
  });

  const panel = page.getByRole('region', { name: 'Predicted results' });
  await test.step('it predicts for each step and host, with the reason', async () => {
    await expect(page.getByTestId('cell-web-2-configure')).toHaveAttribute('data-verdict', 'WOULD_CHANGE');
    await expect(page.getByTestId('cell-web-1-configure')).toHaveAttribute('data-verdict', 'NO_CHANGE');
    await expect(page.getByTestId('cell-web-1-report')).toHaveAttribute('data-verdict', 'CANNOT_PREDICT');
    await expect(panel).toContainText("echo configure '2.5.0'");
    await expect(panel).toContainText('No conflicting runs');
    await takeScreenshot(page, 'dry-run-1-result');
    await expectAccessible(page);
  });

  await test.step('the filter for changes works, also for a shared link', async () => {
    await panel.getByText('Would change 1').click();
    await expect(page).toHaveURL(/verdict=WOULD_CHANGE/);
    await expect(panel.getByRole('region', { name: 'Step Report' })).toHaveCount(0);
    await page.reload();
    await expect(panel.getByRole('region', { name: 'Step Configure' })).toContainText('web-2');
    await expect(panel.getByRole('region', { name: 'Step Report' })).toHaveCount(0);
    await takeScreenshot(page, 'dry-run-2-filtered');
  });

  const dryRun = page.url();
  await test.step('a plan that has changed since is not started instead', async () => {
    const changed = { ...CONFIGURE, command: 'echo configure it {{ RELEASE }}' };
    await stage.call('PATCH', `/api/plans/${planId}`, { steps: [LOOK, changed, REPORT] });
    await panel.getByRole('link', { name: 'Start this run' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByLabel('RELEASE')).toHaveValue('2.5.0');
    await takeScreenshot(page, 'dry-run-3-start');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await expect(dialog).toContainText('has changed since the dry run');
    await expect(dialog.getByRole('group', { name: 'Step configure, before and after' })).toContainText('configure it');
    await takeScreenshot(page, 'dry-run-4-differs');
  });

  await test.step('after reverting the plan it is started', async () => {
    await stage.call('PATCH', `/api/plans/${planId}`, { steps: STEPS });
    await page.goto(dryRun);
    await panel.getByRole('link', { name: 'Start this run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Start run' }).click();
    await expect(page).not.toHaveURL(dryRun);
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
    await expect(page.getByTestId('output-line').filter({ hasText: 'configure 2.5.0' })).toHaveCount(2);
  });
  expect(consoleErrors.filter((text) => !text.includes('409'))).toEqual([]);
});
