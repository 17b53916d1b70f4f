import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { type GitRemote, startGitRemote } from '../support/git-remote.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { choose, collectConsoleErrors, openFromMenu, openPageAs, takeScreenshot } from '../support/page-helpers.js';

const OPERATOR = { email: 'ada@e2e.test', name: 'Ada Operator', role: 'operator', password: 'long enough to be one' };
const ADDRESS = '127.0.4.1';

let stage: BareStage;
let remote: GitRemote;

test.beforeAll(async () => {
  stage = await startBareStage([ADDRESS]);
  remote = await startGitRemote(stage.fleet, ADDRESS);
  await remote.commit(
    { 'README.md': 'What runs here\n', 'roles/web/nginx.conf': 'listen {{ port }};\n' },
    'Serve the site',
  );
  const call = await apiOf(stage.runward);
  const { publicKey = '' } = await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  await stage.fleet.addAuthorizedKey(publicKey);
  await call('POST', '/api/members', OPERATOR);
});
test.afterAll(async () => {
  await stage?.end();
  await remote?.end();
});

const state = (page: Page) => page.getByTestId('git-source-state');

test('a repository is registered, its host key compared, and its files and commits shown', async ({ browser }) => {
  const page = await openPageAs(browser, stage.runward, OPERATOR);
  const consoleErrors = collectConsoleErrors(page);

  await test.step('an address that could execute code is refused at its field, and the form keeps its values', async () => {
    await openFromMenu(page, 'Git sources');
    await page.getByRole('button', { name: 'New git source' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New git source' });
    await dialog.getByLabel(/^Name/).fill('plans');
    await dialog.getByLabel(/^URL/).fill('ext::sh -c id');
    await dialog.getByText('SSH key', { exact: true }).click();
    await choose(page, /^SSH key/, 'deploy');
    await dialog.getByRole('button', { name: 'Create git source' }).click();
    await expect(dialog.getByText(/Send an https or ssh address/)).toBeVisible();
    await expectAccessible(page);
    await takeScreenshot(page, 'git-source-form');
    await dialog.getByLabel(/^URL/).fill(remote.url);
    await dialog.getByRole('button', { name: 'Create git source' }).click();
    await expect(page.getByRole('heading', { name: 'plans', level: 1 })).toBeVisible();
  });

  await test.step('nothing is fetched before the host key was compared', async () => {
    const notice = page.getByRole('alert').filter({ hasText: 'Host key not accepted yet' });
    await expect(notice).toContainText(stage.fleet.hostKeyOf(ADDRESS).fingerprint);
    await expect(state(page)).toHaveText('Host key not accepted');
    await expect(page.getByText('No content yet')).toBeVisible();
    await expect(page.getByText('The latest sync failed')).toHaveCount(0);
    await expectAccessible(page);
    await takeScreenshot(page, 'git-source-host-key');
    await notice.getByLabel('I compared the fingerprints and they match').check();
    await notice.getByRole('button', { name: 'Accept host key' }).click();
    await expect(state(page)).toHaveText('Synced');
  });

  await test.step('folders and files are shown, and the address of the page leads back to them', async () => {
    const files = page.getByRole('table', { name: 'Files' });
    await files.getByRole('link', { name: 'roles' }).click();
    // Other menu links begin with the same word (Webhooks), so the search is limited to the table.
    await files.getByRole('link', { name: 'web', exact: true }).click();
    await files.getByRole('link', { name: 'nginx.conf' }).click();
    const content = page.getByRole('region', { name: 'Content of roles/web/nginx.conf' });
    await expect(content).toContainText('listen {{ port }};');
    await page.reload();
    await expect(content).toContainText('listen {{ port }};');
    await expectAccessible(page);
    await takeScreenshot(page, 'git-source-file');
    await page.getByRole('link', { name: 'Root' }).click();
    await expect(page.getByRole('link', { name: 'README.md' })).toBeVisible();
  });

  await test.step('new commits are synced on request, and the previous commit remains visible', async () => {
    await remote.commit({ 'deploy.sh': 'echo deployed\n' }, 'Deploy by a script');
    await page.getByRole('button', { name: 'Sync now' }).click();
    await expect(page.getByRole('link', { name: 'deploy.sh' })).toBeVisible();
    await page.getByRole('tab', { name: 'Commits' }).click();
    const commits = page.getByRole('table', { name: 'Commits' });
    await expect(commits.getByRole('link')).toHaveText(['Deploy by a script', 'Serve the site']);
    await expectAccessible(page);
    await commits.getByRole('link', { name: 'Serve the site' }).click();
    await expect(page.getByText('not the current one')).toBeVisible();
    await expect(page.getByRole('link', { name: 'README.md' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'deploy.sh' })).toHaveCount(0);
    await page.getByRole('link', { name: 'Show current commit' }).click();
    await expect(page.getByRole('link', { name: 'deploy.sh' })).toBeVisible();
  });

  await test.step('a script and a step of a plan use files of the source', async () => {
    const address = page.url();
    await page.goto(`${stage.runward.url}/scripts/new`);
    await page.getByLabel(/^Name/).fill('deploy');
    await page.getByText('Git source', { exact: true }).click();
    await choose(page, /^Git source/, 'plans');
    await page.getByLabel(/^File/).fill('deploy.sh');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create script' }).click();
    await expect(page.getByRole('heading', { name: 'deploy', level: 1 })).toBeVisible();
    await page.getByLabel('Description').fill('Same as in git');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Unsaved changes')).toHaveCount(0);
    await page.reload();
    await expect(page.getByLabel(/^File/)).toHaveValue('deploy.sh');
    await expect(page.getByLabel('Description')).toHaveValue('Same as in git');

    await page.goto(`${stage.runward.url}/plans/new`);
    await page.getByLabel(/^Name/).first().fill('Configure');
    const step = page.getByRole('region', { name: 'Step 1' });
    await choose(step, 'Type', 'File from a git source');
    await choose(step, /^Git source/, 'plans');
    await step.getByLabel(/^File/).fill('roles/web/nginx.conf');
    await step.getByLabel(/^Path/).fill('/etc/nginx/site.conf');
    await expectAccessible(page);
    await takeScreenshot(page, 'git-source-step');
    await page.getByRole('button', { name: 'Create plan' }).click();
    await expect(page.getByRole('heading', { name: 'Configure', level: 1 })).toBeVisible();
    await page.goto(address);
  });

  await test.step('a failed sync is explained, and the previous content remains', async () => {
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit plans' });
    await dialog.getByLabel('Branch').fill('gone');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'The latest sync failed' })).toContainText(
      'The remote has no branch "gone". It has main.',
    );
    await expect(page.getByText('Runs use the commit of the last successful sync')).toBeVisible();
    await takeScreenshot(page, 'git-source-failed');
    await openFromMenu(page, 'Git sources');
    const row = page.getByRole('row').filter({ hasText: 'plans' });
    await expect(row).toContainText('Sync failed');
    await expectAccessible(page);
  });

  expect(consoleErrors.filter((complaint) => !complaint.includes('400'))).toEqual([]);
});
