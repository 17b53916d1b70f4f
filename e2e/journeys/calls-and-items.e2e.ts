import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { choose, collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: Stage;

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.1', '127.0.4.2']);
});
test.afterAll(() => stage?.end());

test('a plan calls another one, loops over a list, and shows its steps as a tree', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  await stage.planOf(
    'Deploy a service',
    [
      { key: 'stop', name: 'Stop', command: 'echo stopping {{ service }}' },
      { key: 'start', name: 'Start', command: 'echo "port=80" > $RUNWARD_OUTPUT; echo starting', outputs: ['port'] },
    ],
    { variables: [{ name: 'service', type: 'string', required: true }] },
  );
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/plans/new`);
  await page.getByLabel(/^Name/).first().fill('Release');
  await choose(page, /^Environment/, 'staging');

  await test.step('a step for each of several items', async () => {
    const first = page.getByRole('region', { name: 'Step 1' });
    await first.getByLabel(/^Key/).fill('prepare');
    await first.getByLabel(/^Command/).fill('echo preparing {{ item }}');
    await first.getByRole('button', { name: /^Conditions/ }).click();
    await first.getByText('For each listed item').click();
    await first.getByRole('combobox', { name: 'Items' }).fill('cache');
    await page.keyboard.press('Enter');
    await first.getByRole('combobox', { name: 'Items' }).fill('queue');
    await page.keyboard.press('Enter');
    await takeScreenshot(page, 'calls-1-items');
    await first.getByRole('button', { name: /^Conditions/ }).click();
    await expect(first.getByRole('button', { name: /^Conditions/ })).toContainText('once for each of 2 items');
  });

  await test.step('a step that calls a plan, with a value and an output', async () => {
    await page.getByRole('button', { name: 'Add step' }).click();
    const second = page.getByRole('region', { name: 'Step 2' });
    await second.getByLabel(/^Key/).fill('deploy');
    await choose(second, 'Type', 'Another plan');
    await choose(second, /^Plan/, 'Deploy a service');
    await second.getByLabel('Outputs').fill('port=start.port');
    await page.getByRole('button', { name: 'Add step' }).click();
    const third = page.getByRole('region', { name: 'Step 3' });
    await third.getByLabel(/^Key/).fill('tell');
    await third.getByLabel(/^Command/).fill('echo listens on {{ steps.deploy.outputs.port }}');
    await second.getByLabel('service').fill('{{ nobody }}');
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(second.getByLabel('service')).toHaveAttribute('aria-invalid', 'true');
    await second.getByLabel('service').fill('shop');
    await takeScreenshot(page, 'calls-2-call');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(page.getByRole('heading', { name: 'Release', level: 1 })).toBeVisible();
  });

  await test.step('its run has a column for each item and each step of the called plan', async () => {
    const id = new URL(page.url()).pathname.split('/').at(-1);
    await page.goto(`${stage.runward.url}/plans?start=${id}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Start run' }).click();
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
    const grid = page.getByRole('grid', { name: 'Hosts and steps' });
    for (const heading of ['prepare', 'deploy → Deploy a service', 'cache', 'queue', 'Stop', 'Start', 'tell'])
      await expect(grid.getByRole('columnheader', { name: new RegExp(`(^|Succeeded )${heading}$`) })).toBeVisible();
    await page.getByTestId('cell-web-1-tell').click();
    await expect(page.getByRole('region', { name: 'Output', exact: true })).toContainText('listens on 80');
    await takeScreenshot(page, 'calls-3-run');
    await expectAccessible(page);
    await page.getByTestId('cell-web-1-deploy/stop').click();
    await expect(page.getByRole('region', { name: 'Output', exact: true })).toContainText('stopping shop');
    await expect(page.getByRole('region', { name: 'Output', exact: true })).toContainText('deploy › Stop');
  });
  // The browser logs the refused save of an undeclared variable.
  expect(consoleErrors).toEqual(['Failed to load resource: the server responded with a status of 400 (Bad Request)']);
});
