import { expect, type Route, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: Stage;

test.beforeAll(async () => {
  stage = await startStage(['127.0.6.1', '127.0.6.2']);
});
test.afterAll(() => stage?.end());

test('a host with an unknown result stays reserved until a person settles it', async ({ page }) => {
  const consoleErrors = collectConsoleErrors(page);
  // The command kills its own supervisor on the host, so its end cannot be observed.
  const lose = { key: 'lose', name: 'Lose', command: 'kill -9 $PPID', targets: 'name=web-1' };
  const other = await stage.planOf('Something else', [{ key: 'else', name: 'Else', command: 'echo else' }]);
  const id = await stage.startRun(await stage.planOf('Lose a command', [lose]));
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/executions/${id}`);
  const unknown = page.getByRole('region', { name: 'Hosts with an unknown result' });

  await test.step('the run says so, and explains the consequences', async () => {
    await expect(page.getByTestId('run-status')).toContainText('Interrupted');
    await expect(unknown).toContainText('This run reserves each host');
    await expect(page.getByTestId('cell-web-1-lose')).toHaveAttribute('data-status', 'UNKNOWN');
    await takeScreenshot(page, 'unknown-1-panel');
    await expectAccessible(page);
  });

  await test.step('another start there is refused and links here', async () => {
    await page.goto(`${stage.runward.url}/plans?start=${other}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await expect(dialog.getByRole('alert')).toContainText('ended with an unknown result and still holds web-1');
    await takeScreenshot(page, 'unknown-2-refused');
    await dialog.getByRole('link', { name: 'Lose a command' }).click();
    await expect(unknown).toBeVisible();
  });

  await test.step('a check of the host is inconclusive; a person can settle the result, even before the check ends', async () => {
    let answer: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    const answerLate = async (route: Route) => {
      const response = await route.fetch();
      await late;
      await route.fulfill({ response });
    };
    await page.route('**/resolve', answerLate, { times: 1 });
    await unknown.getByRole('button', { name: 'Read result again from web-1' }).click();
    await expect(unknown.getByRole('status')).toContainText('no longer exists on the host');
    await unknown.getByRole('button', { name: 'Mark succeeded web-1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Findings').fill('it is all there');
    const answered = page.waitForResponse('**/resolve');
    answer();
    await (await answered).finished();
    await expect(
      unknown.getByRole('button', { name: 'Read result again from web-1', includeHidden: true }),
    ).toBeEnabled();
    await expect(dialog.getByLabel('Findings')).toHaveValue('it is all there');
    await takeScreenshot(page, 'unknown-3-mark');
    await dialog.getByRole('button', { name: 'Mark succeeded' }).click();
    await expect(unknown).toHaveCount(0);
    await expect(page.getByTestId('cell-web-1-lose')).toContainText('Marked succeeded');
    await page.getByTestId('cell-web-1-lose').click();
    await expect(page.getByText('The result was unknown; marked as succeeded by Admin')).toBeVisible();
    await takeScreenshot(page, 'unknown-4-resolved');
  });

  await test.step('the host is free again', async () => {
    await page.goto(`${stage.runward.url}/plans?start=${other}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Start run' }).click();
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
  });
  expect(consoleErrors.filter((text) => !text.includes('409'))).toEqual([]);
});
