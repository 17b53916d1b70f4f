import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type GitRemote, startGitRemote } from '../support/git-remote.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { choose, collectConsoleErrors, openFromMenu, openPageAs, takeScreenshot } from '../support/page-helpers.js';

const OPERATOR = { email: 'ada@e2e.test', name: 'Ada Operator', role: 'operator', password: 'long enough to be one' };
const ADDRESS = '127.0.4.2';
const plan = (name: string, command: string) => `name: ${name}\nsteps:\n  - key: run\n    command: ${command}\n`;

let stage: BareStage;
let remote: GitRemote;

test.beforeAll(async () => {
  stage = await startBareStage([ADDRESS]);
  remote = await startGitRemote(stage.fleet, ADDRESS);
  await remote.commit(
    {
      'plans/restart.yaml': plan('Restart web', 'systemctl restart web'),
      'plans/broken.yaml': 'name: Broken\nsteps:\n  - key: run\n    comand: uptime\n',
    },
    'Two plans',
  );
  const call = await apiOf(stage.runward);
  const key = await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  await stage.fleet.addAuthorizedKey(key.publicKey ?? '');
  await call('POST', '/api/members', OPERATOR);
  await call('POST', '/api/collections', { name: 'Releases' });
  await call('POST', '/api/git-sources', {
    name: 'infra',
    url: remote.url,
    credential: { sshKeyId: key.id },
    hostKey: { fingerprint: stage.fleet.hostKeyOf(ADDRESS).fingerprint },
  });
});
test.afterAll(async () => {
  await stage?.end();
  await remote?.end();
});

test('a folder of a repository becomes plans that follow their files', async ({ browser }) => {
  const page = await openPageAs(browser, stage.runward, OPERATOR);
  const consoleErrors = collectConsoleErrors(page);

  await test.step('a folder is chosen with the collection of its plans', async () => {
    await openFromMenu(page, 'Git sources');
    await page.getByRole('link', { name: 'infra' }).click();
    await expect(page.getByTestId('git-source-state')).toHaveText('Synced');
    await page.getByRole('tab', { name: 'Plans' }).click();
    await page.getByRole('button', { name: 'Choose folders' }).click();
    const dialog = page.getByRole('dialog', { name: 'Plan folders' });
    await dialog.getByLabel('Folder', { exact: true }).fill('../plans');
    await choose(dialog, /^Collection/, 'Releases');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog.getByText(/Send the path from the root of the repository/)).toBeVisible();
    await dialog.getByLabel('Folder', { exact: true }).fill('plans/');
    await expectAccessible(page);
    await takeScreenshot(page, 'plan-folders-form');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
  });

  await test.step('the result of each file is shown, with line and column of errors', async () => {
    await expect(page.getByRole('list', { name: 'Created' })).toContainText('Restart web');
    const fault = page.getByRole('list', { name: 'Invalid files' });
    await expect(fault).toContainText('"comand" is not supported here. The closest known name is "command".');
    await expectAccessible(page);
    await takeScreenshot(page, 'plan-folders-report');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    await takeScreenshot(page, 'plan-folders-narrow-dark');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1440, height: 900 });
    await fault.getByRole('link', { name: 'plans/broken.yaml:4:5' }).click();
    await expect(page.getByRole('region', { name: 'Content of plans/broken.yaml' })).toContainText('comand');
    await page.goBack();
  });

  await test.step('such a plan names its source, and is not edited here', async () => {
    await page.getByRole('list', { name: 'Created' }).getByRole('link', { name: 'Restart web' }).click();
    await expect(page.getByRole('heading', { name: 'Restart web', level: 1 })).toBeVisible();
    await expect(page.getByText('Managed in infra · plans/restart.yaml at')).toBeVisible();
    await expect(page.getByRole('list', { name: 'Steps of the plan' })).toContainText('systemctl restart web');
    await expectAccessible(page);
    await takeScreenshot(page, 'plan-folders-plan');
    await page.getByRole('tab', { name: 'Fields', exact: true }).click();
    await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
    await page.getByText('YAML', { exact: true }).click();
    await expect(page.getByLabel('Plan as YAML')).toContainText('systemctl restart web');
    await page.getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem', { name: 'Download as YAML' })).toBeVisible();
    await expect(page.getByRole('menuitem', { name: 'Delete plan' })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Revisions' }).click();
    await expect(page.getByRole('button', { name: /Revision 1/ })).toContainText('Ada Operator');
    await openFromMenu(page, 'Plans');
    const row = page.getByRole('row').filter({ hasText: 'Restart web' });
    await expect(row.getByRole('img', { name: 'From git' })).toBeVisible();
    await expectAccessible(page);
    await takeScreenshot(page, 'plan-folders-list');
  });

  await test.step('a push changes it, and a corrected file becomes a plan', async () => {
    await remote.commit(
      {
        'plans/restart.yaml': plan('Restart web', 'systemctl reload web'),
        'plans/broken.yaml': plan('Mended', 'uptime'),
      },
      'Mend',
    );
    await openFromMenu(page, 'Git sources');
    await page.getByRole('link', { name: 'infra' }).click();
    await page.getByRole('tab', { name: 'Plans' }).click();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await expect(page.getByRole('list', { name: 'Changed' })).toContainText('Restart web');
    await expect(page.getByRole('list', { name: 'Created' })).toContainText('Mended');
  });

  await test.step('without its folder it is an ordinary plan, as announced', async () => {
    await page.getByRole('button', { name: 'Change folders' }).click();
    const dialog = page.getByRole('dialog', { name: 'Plan folders' });
    await dialog.getByRole('button', { name: 'Remove folder 1' }).click();
    await expect(dialog.getByRole('status')).toContainText('Plans of plans become ordinary plans');
    await expectAccessible(page);
    await takeScreenshot(page, 'plan-folders-release');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('button', { name: 'Choose folders' })).toBeVisible();
    await openFromMenu(page, 'Plans');
    await page.getByRole('link', { name: 'Mended', exact: true }).click();
    await expect(page.getByRole('tab', { name: 'Edit', exact: true })).toBeVisible();
    await expect(page.getByText('Managed in')).toHaveCount(0);
  });

  expect(consoleErrors.filter((complaint) => !complaint.includes('400'))).toEqual([]);
});
