import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import {
  choose,
  collectConsoleErrors,
  openFromMenu,
  openPageAs,
  takeScreenshot,
  signIn,
  openPlanEditor,
} from '../support/page-helpers.js';

const OPERATOR = { email: 'ana@e2e.test', password: 'a password for the story' };

let stage: Stage;

test.beforeAll(async () => {
  stage = await startStage(['127.0.5.21']);
  await stage.call('POST', '/api/members', { ...OPERATOR, name: 'Ana', role: 'operator' });
  await stage.call('PATCH', `/api/environments/${stage.environmentId}`, { protected: true, allowSelfApproval: true });
});
test.afterAll(() => stage?.end());

test('plans are in collections, which are frozen during a release', async ({ page, browser }) => {
  const consoleErrors = collectConsoleErrors(page);
  const { call, runward } = stage;
  const deploy = await stage.planOf('Deploy web', [{ key: 'hello', name: 'Say hello', command: 'echo hello' }]);
  await stage.planOf('Patch database', [{ key: 'patch', name: 'Patch', command: 'true' }]);
  const approve = async (id: string): Promise<void> => {
    const { digest } = await call<{ digest: string }>('GET', `/api/executions/${id}`);
    await call('POST', `/api/executions/${id}/approve`, { digest });
  };
  await signIn(page, runward);
  const tree = page.getByRole('navigation', { name: 'Collections' });
  const dialog = page.getByRole('dialog');

  await test.step('collections are nested, and the address identifies the current one', async () => {
    await openFromMenu(page, 'Plans');
    await page.getByRole('button', { name: 'New collection' }).click();
    await dialog.getByLabel(/^Name/).fill('Releases');
    await dialog.getByLabel('Description').fill('What goes to the customers');
    await dialog.getByRole('button', { name: 'Create collection' }).click();
    await expect(page.getByRole('heading', { name: 'Releases', level: 2 })).toBeVisible();
    await expect(page).toHaveURL(/collection=/);
    await expect(page.getByText('No plans here')).toBeVisible();
    await page.getByRole('button', { name: 'New subcollection' }).click();
    await dialog.getByLabel(/^Name/).fill('Web');
    await dialog.getByRole('button', { name: 'Create collection' }).click();
    await expect(page.getByRole('heading', { name: 'Web', level: 2 })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'Releases', level: 2 })).toBeVisible();
  });

  await test.step('selected plans are moved, and counted in their collection', async () => {
    await tree.getByRole('link', { name: 'Without a collection' }).click();
    await page.getByRole('checkbox', { name: 'Select Deploy web' }).click();
    await page.getByRole('button', { name: 'Move to collection' }).click();
    await choose(dialog, 'Target collection', 'Releases › Web');
    await dialog.getByRole('button', { name: 'Move', exact: true }).click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Deploy web', exact: true })).toHaveCount(0);
    await expect(page.getByRole('link', { name: 'Patch database', exact: true })).toBeVisible();
    await expect(tree.getByRole('link', { name: /^Releases/ })).toContainText('1');
    await tree.getByRole('link', { name: /^Releases/ }).click();
    await expect(page.getByRole('row').filter({ hasText: 'Deploy web' })).toContainText('Releases › Web');
    await takeScreenshot(page, 'collections-1-tree');
    await expectAccessible(page);
  });

  await test.step('a new plan is saved in the current collection', async () => {
    await page.getByRole('link', { name: 'New plan' }).click();
    await expect(page.getByRole('combobox', { name: 'Collection' })).toHaveValue('Releases');
    await page.getByLabel(/^Name/).first().fill('Announce');
    await page.getByLabel(/^Command/).fill('echo soon');
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(page.getByRole('heading', { name: 'Announce', level: 1 })).toBeVisible();
    await openPlanEditor(page);
    await choose(page, 'Collection', 'Releases › Web');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('Revision 2 saved')).toBeVisible();
    await page.getByRole('link', { name: 'Web', exact: true }).click();
    await expect(page.getByRole('link', { name: 'Announce', exact: true })).toBeVisible();
  });

  const waiting = await stage.startRun(deploy);

  await test.step('an admin freezes it with a reason and an end', async () => {
    await tree.getByRole('link', { name: /^Releases/ }).click();
    await page.getByRole('button', { name: 'Freeze', exact: true }).click();
    await dialog.getByRole('button', { name: 'Freeze', exact: true }).click();
    await expect(dialog.getByText('Enter a reason. Members whose start is refused see it.')).toBeVisible();
    await dialog.getByLabel(/^Reason/).fill('Release 4.2 goes out');
    await dialog.getByRole('button', { name: 'Tomorrow, 08:00' }).click();
    await takeScreenshot(page, 'collections-2-freeze');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Freeze', exact: true }).click();
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('No plan can start until')).toContainText('Release 4.2 goes out');
    await expect(tree.getByRole('link', { name: /^Web/ })).toContainText('Frozen');
    await expect(page.getByRole('row').filter({ hasText: 'Deploy web' })).toContainText('Frozen until');
    await takeScreenshot(page, 'collections-3-frozen');
    await expectAccessible(page);
  });

  await test.step('an operator reads why nothing starts, and can do a dry run', async () => {
    const theirs = await openPageAs(browser, runward, OPERATOR);
    await theirs.goto(`${runward.url}/plans/${deploy}?start=${deploy}`);
    const start = theirs.getByRole('dialog');
    await expect(start.getByText('Release 4.2 goes out')).toBeVisible();
    await expect(start.getByText('Start despite the freeze')).toHaveCount(0);
    await start
      .getByLabel('Type staging')
      .or(start.getByLabel(/staging/))
      .last()
      .fill('staging');
    const button = start.getByRole('button', { name: 'Start run' });
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await button.focus();
    await expect(theirs.getByRole('tooltip')).toContainText('Release 4.2 goes out');
    await takeScreenshot(theirs, 'collections-4-refused');
    await expectAccessible(theirs);
    await theirs.goto(`${runward.url}/plans`);
    const pane = theirs.getByRole('navigation', { name: 'Collections' });
    await pane.getByRole('link', { name: /^Releases/ }).click();
    await expect(theirs.getByRole('button', { name: 'Change freeze' })).toHaveAttribute('aria-disabled', 'true');
    await theirs.context().close();
  });

  await test.step('an approved run waits for the end of the freeze, and an admin starts it', async () => {
    await approve(waiting);
    await page.goto(`${runward.url}/executions`);
    await expect(page.getByRole('row').filter({ hasText: 'Deploy web' })).toContainText('Held by a freeze');
    await page.getByRole('link', { name: 'Deploy web', exact: true }).click();
    await expect(page.getByTestId('run-status')).toHaveText('Held by a freeze');
    await expect(page.getByText('Release 4.2 goes out').first()).toBeVisible();
    await takeScreenshot(page, 'collections-5-held');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Start now' }).click();
    await dialog.getByLabel('Reason').fill('Part of the release itself');
    await dialog.getByRole('button', { name: 'Start now' }).click();
    await expect(page.getByTestId('run-status')).toHaveText('Succeeded');
    await expect(page.getByText('Started despite a freeze: Part of the release itself')).toBeVisible();
  });

  await test.step('an admin reruns it with a reason', async () => {
    await page.getByRole('button', { name: 'Rerun' }).click();
    await page.getByRole('menuitem', { name: /All hosts/ }).click();
    const again = dialog.getByRole('button', { name: 'Rerun' });
    await expect(again).toHaveAttribute('aria-disabled', 'true');
    await dialog.getByRole('checkbox', { name: 'Start despite the freeze' }).click();
    await dialog.getByLabel('Reason').fill('Once more');
    await expect(again).not.toHaveAttribute('aria-disabled');
    await takeScreenshot(page, 'collections-6-rerun');
    await expectAccessible(page);
    await again.click();
    await expect(page.getByTestId('run-status')).toHaveText('Waiting for approval');
    await expect(page.getByText('Started despite a freeze: Once more')).toBeVisible();
    await call('POST', `/api/executions/${page.url().split('/').at(-1)}/cancel`, {});
    await expect(page.getByTestId('run-status')).toHaveText('Cancelled');
    await page.goto(`${runward.url}/plans/${deploy}?start=${deploy}`);
    await dialog.getByRole('checkbox', { name: 'Start despite the freeze' }).click();
    await dialog.getByLabel('Reason').fill('The hotfix');
    await dialog
      .getByLabel(/staging/)
      .last()
      .fill('staging');
    await takeScreenshot(page, 'collections-7-override');
    await dialog.getByRole('button', { name: 'Start run' }).click();
    await expect(page.getByText('Started despite a freeze: The hotfix')).toBeVisible();
  });

  await test.step('the freeze is lifted, the collection moved, and the empty one deleted', async () => {
    await page.goto(`${runward.url}/plans`);
    await tree.getByRole('link', { name: /^Releases/ }).click();
    await page.getByRole('button', { name: 'Lift freeze' }).click();
    await dialog.getByRole('button', { name: 'Lift freeze' }).click();
    await expect(page.getByText('No plan can start until')).toHaveCount(0);
    const remove = page.getByRole('button', { name: 'Delete', exact: true });
    await remove.hover();
    await expect(page.getByRole('tooltip')).toHaveText('Contains 1 collection: move or delete it first');
    await tree.getByRole('link', { name: /^Web/ }).click();
    await page.getByRole('button', { name: 'Rename or move' }).click();
    await dialog.getByLabel(/^Name/).fill('Web servers');
    await choose(dialog, 'Parent collection', 'None');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('heading', { name: 'Web servers', level: 2 })).toBeVisible();
    await tree.getByRole('link', { name: /^Releases/ }).click();
    await expect(page.getByText('No plans here')).toBeVisible();
    await remove.click();
    await dialog.getByRole('button', { name: 'Delete collection' }).click();
    await expect(tree.getByRole('link', { name: /^Releases/ })).toHaveCount(0);
    await expect(page).not.toHaveURL(/collection=/);
  });

  await test.step('on a narrow screen the tree is behind a button', async () => {
    await page.setViewportSize({ width: 420, height: 860 });
    await page.getByRole('button', { name: 'Collections' }).click();
    await tree.getByRole('link', { name: /^Web servers/ }).click();
    await expect(page.getByRole('heading', { name: 'Web servers', level: 2 })).toBeVisible();
    await takeScreenshot(page, 'collections-8-narrow');
    await expectAccessible(page);
  });
  expect(consoleErrors).toEqual([]);
});
