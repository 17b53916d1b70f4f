import { expect, type Page, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { type Stage, startStage } from '../support/stage.js';
import { takeScreenshot, signIn } from '../support/page-helpers.js';

let stage: Stage;

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.41']);
});
test.afterAll(() => stage?.end());
test.beforeEach(async ({ page }) => {
  await signIn(page, stage.runward);
});

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });
const endSession = (page: Page) => page.context().clearCookies();
const signInAgain = async (page: Page, password = stage.runward.password) => {
  await dialog(page)
    .getByLabel(/^Password/)
    .fill(password);
  await dialog(page).getByRole('button', { name: 'Sign in', exact: true }).click();
};

test('a user whose session ends while typing signs in over the page, continues, and has lost nothing', async ({
  page,
}) => {
  await page.goto(`${stage.runward.url}/scripts/new`);
  await page.getByLabel('Name').fill('Long thought about');
  await page.getByLabel(/^Content|^Script/).fill('echo every line of this matters');
  await endSession(page);
  await page.getByRole('button', { name: /^(Create|Save|Add)/ }).click();
  await expect(dialog(page)).toBeVisible();
  await expectAccessible(page);
  await takeScreenshot(page, 'session-ended');
  await page.keyboard.press('Escape');
  await signInAgain(page, 'not my password');
  await expect(dialog(page).getByText('E-mail address or password is wrong.')).toBeVisible();
  await signInAgain(page);
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByLabel('Name')).toHaveValue('Long thought about');
  await page.getByRole('button', { name: /^(Create|Save|Add)/ }).click();
  await expect(page.getByRole('heading', { name: 'Long thought about' })).toBeVisible();
});

test('an open run is followed again once its user has signed in again', async ({ page }) => {
  const command = `until [ -e ${stage.folder}/go ]; do sleep 0.1; done; echo after the night`;
  const runId = await stage.startRun(await stage.planOf('Watched', [{ key: 'wait', name: 'Wait', command }]));
  await page.goto(`${stage.runward.url}/executions/${runId}`);
  await expect(page.getByTestId('stream-state')).toHaveText('Live');
  const sessions = (await stage.call('GET', '/api/auth/sessions')) as unknown as {
    items: { id: string; current: boolean }[];
  };
  for (const { id, current } of sessions.items) if (!current) await stage.call('DELETE', `/api/auth/sessions/${id}`);
  await expect(dialog(page)).toBeVisible({ timeout: 30_000 });
  await signInAgain(page);
  await expect(page.getByTestId('stream-state')).toHaveText('Live');
  await stage.letGo('go');
  await expect(page.getByTestId('output-line').filter({ hasText: 'after the night' })).toBeVisible();
});

test('a page that is loaded after the session has ended asks to sign in', async ({ page }) => {
  await page.goto(`${stage.runward.url}/plans`);
  await expect(page.getByRole('heading', { name: 'Plans' })).toBeVisible();
  await endSession(page);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Sign in to Runward' })).toBeVisible();
});

test('Escape asks for confirmation before it closes a drawer or dialog with unsaved input', async ({ page }) => {
  const question = page.getByRole('dialog', { name: 'Close without saving?' });
  for (const [path, open] of [
    ['/servers', 'New server'],
    ['/environments', 'New environment'],
    ['/keys', 'New key'],
  ] as const) {
    await page.goto(`${stage.runward.url}${path}`);
    const opener = page
      .getByRole('button', { name: open, exact: true })
      .or(page.getByRole('link', { name: open, exact: true }));
    await opener.first().click();
    const name = page.getByRole('dialog').getByLabel('Name', { exact: false }).first();
    await expect(name).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(opener.first()).toBeFocused();
    await page.keyboard.press('Enter');
    await name.fill('half of a name');
    await page.keyboard.press('Escape');
    await expect(question.getByRole('button', { name: 'Keep editing' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(question).toHaveCount(0);
    await expect(name).toBeFocused();
    await expect(name).toHaveValue('half of a name');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard edits' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
});
