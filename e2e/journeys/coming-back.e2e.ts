import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { type Stage, startStage } from '../support/stage.js';
import { openPageAs, signIn } from '../support/page-helpers.js';

const VERA = { email: 'vera@e2e.test', password: 'a password of Vera' };

let stage: Stage;

test.beforeAll(async () => {
  stage = await startStage(['127.0.8.1']);
});
test.afterAll(() => stage?.end());

/** Starts a run that waits for a file with this name, prints a last line, and ends. */
async function startWaitingRun(name: string): Promise<string> {
  const command = `echo first words; until test -f ${join(stage.folder, name)}; do sleep 0.1; done; echo last words of ${name}`;
  return stage.startRun(await stage.planOf(name, [{ key: 'one', name: 'One', command }]));
}
const ended = (id: string): Promise<unknown> => stage.call('GET', `/api/executions/${id}?wait=50&until=settled`);

async function expectEnd(page: Page, name: string): Promise<void> {
  await expect(page.getByTestId('run-status')).toContainText('Succeeded');
  await expect(page.getByTestId('cell-web-1-one')).toHaveAttribute('data-status', 'SUCCEEDED');
  await expect(page.getByText(`last words of ${name}`, { exact: true })).toBeVisible();
}

test('a run that ended while the browser was offline is shown as it ended', async ({ page, context }) => {
  const id = await startWaitingRun('offline');
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/executions/${id}`);
  await expect(page.getByText('first words', { exact: true })).toBeVisible();
  await context.setOffline(true);
  await stage.letGo('offline');
  await ended(id);
  await context.setOffline(false);
  await expectEnd(page, 'offline');
});

test('a run whose stream and output could not be read for a while is shown as it ended', async ({ page }) => {
  const id = await startWaitingRun('outage');
  await signIn(page, stage.runward);
  let away = true;
  await page.route(/\/api\/executions\/[^/]+\/(stream|output|results)/, (route) =>
    away ? route.fulfill({ status: 503, body: 'away' }) : route.continue(),
  );
  await page.goto(`${stage.runward.url}/executions/${id}`);
  await expect(page.getByTestId('stream-state')).toHaveAttribute('data-state', 'reconnecting');
  await expect(page.getByText('The output could not be loaded')).toBeVisible();
  away = false;
  await expect(page.getByText('first words', { exact: true })).toBeVisible();
  await expect(page.getByText('The output could not be loaded')).toHaveCount(0);
  await stage.letGo('outage');
  await expectEnd(page, 'outage');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a hidden tab keeps no connection, and catches up when it is visible again', async ({ page }) => {
  const id = await startWaitingRun('unseen');
  await signIn(page, stage.runward);
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
  await page.goto(`${stage.runward.url}/executions/${id}`);
  await expect(page.getByText('first words', { exact: true })).toBeVisible();
  await expect(page.getByTestId('stream-state')).toHaveAttribute('data-state', 'connecting');
  await stage.letGo('unseen');
  await ended(id);
  expect(streams).toEqual([]);
  await page.evaluate(() => (window as unknown as { look: () => void }).look());
  await expectEnd(page, 'unseen');
  expect(streams).toHaveLength(1);
});

test('a run disappears for a member who may no longer see it', async ({ browser }) => {
  const { id: userId } = await stage.call('POST', '/api/members', { ...VERA, name: 'Vera', role: 'viewer' });
  const grant = `/api/environments/${stage.environmentId}/grants/${userId}`;
  await stage.call('PATCH', `/api/environments/${stage.environmentId}`, { access: 'restricted' });
  await stage.call('PUT', grant, { level: 'view' });
  const id = await startWaitingRun('revoked');
  const vera = await openPageAs(browser, stage.runward, VERA);
  await vera.goto(`${stage.runward.url}/executions/${id}`);
  await expect(vera.getByText('first words', { exact: true })).toBeVisible();
  await stage.call('DELETE', grant);
  await expect(vera.getByRole('alert')).toBeVisible();
  await expect(vera.getByText('first words', { exact: true })).toHaveCount(0);
  // The output must not reappear when the server is unavailable later.
  await vera.route('**/api/executions/*', (route) => route.fulfill({ status: 503, body: 'away' }));
  await vera.getByRole('button', { name: 'Try again' }).click();
  await expect(vera.getByRole('alert')).toContainText('503');
  await expect(vera.getByTestId('run-status')).toHaveCount(0);
  await vera.context().close();
  await stage.letGo('revoked');
  await ended(id);
});
