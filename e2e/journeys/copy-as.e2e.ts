import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { expectAccessible } from '../support/accessibility.js';
import { apiOf } from '../support/api.js';
import { createSshKey, registerServers } from '../support/fleet-in-runward.js';
import { type BareStage, startBareStage } from '../support/stage.js';
import { collectConsoleErrors, takeScreenshot, signIn } from '../support/page-helpers.js';

const CLI = path.resolve(import.meta.dirname, '../../cli/dist/runward.mjs');
/** A shell that evaluated any part of this would create a file. */
const HOSTILE = `it's $(touch pwned) \`touch pwned\` "x"`;

let stage: BareStage;
let planId: string;

test.beforeAll(async () => {
  stage = await startBareStage(['127.0.8.2']);
  const { runward, fleet } = stage;
  const admin = await apiOf(runward);
  const sshKeyId = await createSshKey(admin, fleet);
  const { id: environmentId } = await admin('POST', '/api/environments', { name: 'staging' });
  await registerServers(admin, fleet, { sshKeyId, environmentId, addresses: ['127.0.8.2'], name: 'staging' });
  const variables = [{ name: 'TEXT', type: 'string' }];
  const steps = [{ key: 'say', command: "printf '%s\\n' {{ TEXT }}" }];
  planId = (await admin('POST', '/api/plans', { name: 'Say it', environmentId, variables, steps })).id;
});
test.afterAll(() => stage?.end());

test('a start is copied as a command, and starts the same run in a shell with a new token', async ({
  page,
  context,
}) => {
  const consoleErrors = collectConsoleErrors(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await signIn(page, stage.runward);
  let token = '';

  await test.step('create a token, with first steps for each client', async () => {
    await page.goto(`${stage.runward.url}/settings/tokens`);
    await page.getByRole('button', { name: 'New token' }).first().click();
    await page.getByLabel('Name').fill('pipeline');
    await page.getByRole('button', { name: 'Create token' }).click();
    token = (await page.getByLabel('token', { exact: true }).textContent())?.trim() ?? '';
    for (const recipe of ['Command line', 'GitHub Action', 'GitLab job', 'curl']) {
      await page.getByText(recipe, { exact: true }).click();
      await page.getByRole('button', { name: `Copy as ${recipe}` }).click();
      expect(await copied()).not.toContain(token);
    }
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page);
      await takeScreenshot(page, `copy-as-1-token-${colorScheme}`);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    await takeScreenshot(page, 'copy-as-1-token-narrow');
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.getByLabel('I saved the token').check();
    await page.getByRole('button', { name: 'Done' }).click();
  });

  await test.step('copy a start as a command, and paste it into a shell', async () => {
    await page.goto(`${stage.runward.url}/plans/${planId}?start=${planId}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('TEXT').fill(HOSTILE);
    await dialog.getByLabel('Note').fill(HOSTILE);
    await dialog.getByRole('button', { name: 'Copy as' }).click();
    await expectAccessible(page);
    await takeScreenshot(page, 'copy-as-2-start');
    await page.getByRole('menuitem', { name: 'Command line' }).click();
    await expect.poll(copied).toContain('node runward.mjs run start');
    const home = await mkdtemp(path.join(os.tmpdir(), 'runward-shell-'));
    const script = `curl() { cp "$CLI" runward.mjs; }\nnode() { "$NODE" "$@"; }\n${await copied()}`;
    const env = { PATH: process.env.PATH, HOME: home, RUNWARD_TOKEN: token, NODE: process.execPath, CLI };
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euc', script], { env, cwd: home });
    expect(stdout).toContain(`| ${HOSTILE}\n`);
    expect(stdout).toContain('SUCCEEDED');
    await rm(home, { recursive: true, force: true });
  });

  await test.step('the run exists, started with the token', async () => {
    await page.goto(`${stage.runward.url}/executions`);
    await page.getByRole('link', { name: 'Say it' }).first().click();
    await expect(page.getByText(HOSTILE).first()).toBeVisible();
  });
  expect(consoleErrors).toEqual([]);
});
