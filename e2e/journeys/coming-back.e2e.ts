import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { apiOf, type Call } from '../support/api.js';
import { registerFleet } from '../support/fleet-in-runward.js';
import { type Fleet, startFleet } from '../support/fleet.js';
import { type Runward, startRunward } from '../support/runward.js';
import { pageOf, signIn } from '../support/story.js';

const VERA = { email: 'vera@e2e.test', password: 'a password of Vera' };

let runward: Runward;
let fleet: Fleet;
let call: Call;
let environmentId: string;
let folder: string;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runward-e2e-back-'));
  // The hosts' user is another one than that of the tests.
  await chmod(folder, 0o755);
  [runward, fleet] = await Promise.all([startRunward(), startFleet(['127.0.8.1'])]);
  call = await apiOf(runward);
  environmentId = (await call('POST', '/api/environments', { name: 'staging' })).id;
  await registerFleet(call, fleet, environmentId);
});
test.afterAll(async () => {
  await Promise.allSettled([runward?.stop(), fleet?.end(), rm(folder, { recursive: true, force: true })]);
});

/** Starts a run that waits for a file of this name, says a last word, and ends. */
async function startHeld(name: string): Promise<string> {
  const command = `echo first words; until test -f ${join(folder, name)}; do sleep 0.1; done; echo last words of ${name}`;
  const plan = await call('POST', '/api/plans', { name, environmentId, steps: [{ key: 'one', name: 'One', command }] });
  return (await call('POST', '/api/executions', { planId: plan.id, execution_mode: 'auto' })).id;
}
const letGo = (name: string): Promise<void> => writeFile(join(folder, name), '');
const ended = (id: string): Promise<unknown> => call('GET', `/api/executions/${id}?wait=50&until=settled`);

async function expectEnd(page: Page, name: string): Promise<void> {
  await expect(page.getByTestId('run-status')).toContainText('Succeeded');
  await expect(page.getByTestId('cell-web-1-one')).toHaveAttribute('data-status', 'SUCCEEDED');
  await expect(page.getByText(`last words of ${name}`, { exact: true })).toBeVisible();
}

test('a run that ended while the browser was offline is shown as it ended', async ({ page, context }) => {
  const id = await startHeld('offline');
  await signIn(page, runward);
  await page.goto(`${runward.url}/executions/${id}`);
  await expect(page.getByText('first words', { exact: true })).toBeVisible();
  await context.setOffline(true);
  await letGo('offline');
  await ended(id);
  await context.setOffline(false);
  await expectEnd(page, 'offline');
});

test('a run whose stream and output could not be read for a while is shown as it ended', async ({ page }) => {
  const id = await startHeld('outage');
  await signIn(page, runward);
  let away = true;
  await page.route(/\/api\/executions\/[^/]+\/(stream|output|results)/, (route) =>
    away ? route.fulfill({ status: 503, body: 'away' }) : route.continue(),
  );
  await page.goto(`${runward.url}/executions/${id}`);
  await expect(page.getByTestId('stream-state')).toHaveAttribute('data-state', 'reconnecting');
  await expect(page.getByText('The output could not be read')).toBeVisible();
  away = false;
  await expect(page.getByText('first words', { exact: true })).toBeVisible();
  await expect(page.getByText('The output could not be read')).toHaveCount(0);
  await letGo('outage');
  await expectEnd(page, 'outage');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a tab that nobody looks at keeps no connection, and catches up when somebody does', async ({ page }) => {
  const id = await startHeld('unseen');
  await signIn(page, runward);
  const streams: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/stream')) streams.push(request.url());
  });
  await page.addInitScript(() => {
    let hidden = true;
    Object.defineProperty(document, 'hidden', { get: () => hidden });
    Object.assign(window, {
      look: () => {
        hidden = false;
        document.dispatchEvent(new Event('visibilitychange'));
      },
    });
  });
  await page.goto(`${runward.url}/executions/${id}`);
  await expect(page.getByText('first words', { exact: true })).toBeVisible();
  await expect(page.getByTestId('stream-state')).toHaveAttribute('data-state', 'connecting');
  await letGo('unseen');
  await ended(id);
  expect(streams).toEqual([]);
  await page.evaluate(() => (window as unknown as { look: () => void }).look());
  await expectEnd(page, 'unseen');
  expect(streams).toHaveLength(1);
});

test('a run leaves the screen of who may no longer see it', async ({ browser }) => {
  const { id: userId } = await call('POST', '/api/members', { ...VERA, name: 'Vera', role: 'viewer' });
  const grant = `/api/environments/${environmentId}/grants/${userId}`;
  await call('PATCH', `/api/environments/${environmentId}`, { access: 'restricted' });
  await call('PUT', grant, { level: 'view' });
  const id = await startHeld('revoked');
  const vera = await pageOf(browser, runward, VERA);
  await vera.goto(`${runward.url}/executions/${id}`);
  await expect(vera.getByText('first words', { exact: true })).toBeVisible();
  await call('DELETE', grant);
  await expect(vera.getByRole('alert')).toBeVisible();
  await expect(vera.getByText('first words', { exact: true })).toHaveCount(0);
  // Nor does it come back when the server is away later on.
  await vera.route('**/api/executions/*', (route) => route.fulfill({ status: 503, body: 'away' }));
  await vera.getByRole('button', { name: 'Try again' }).click();
  await expect(vera.getByRole('alert')).toContainText('503');
  await expect(vera.getByTestId('run-status')).toHaveCount(0);
  await vera.context().close();
  await letGo('revoked');
  await ended(id);
});
