import { expect, type Page, test } from '@playwright/test';
import { signIn, takeScreenshot } from '../support/page-helpers.js';
import { type Stage, startStage } from '../support/stage.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const HOSTS = 3;
const TABS = 10;

let stage: Stage;
let proxy: TcpProxy;
let planId: string;

test.beforeAll(async () => {
  stage = await startStage(Array.from({ length: HOSTS }, (_, index) => `127.0.9.${index + 1}`));
  proxy = await startTcpProxy(stage.runward.url);
  const wait = (file: string) => `until [ -e ${stage.folder}/$RUN-${file} ]; do sleep 0.1; done`;
  const steps = ['one', 'two', 'three'].map((key) => ({
    key,
    name: key,
    command: `RUN={{ run }}; ${wait(key)}; echo "words of ${key}"`,
  }));
  const variables = [{ name: 'run', type: 'string', default: 'first' }];
  planId = await stage.planOf('Waiting', steps, { variables });
});
test.afterAll(async () => {
  await proxy?.end();
  await stage?.end();
});

const start = async (run: string): Promise<string> =>
  (await stage.call('POST', '/api/executions', { planId, execution_mode: 'auto', variables: { run } })).id;

interface Result {
  serverName: string;
  stepKey: string;
  status: string;
}

const resultsOf = async (id: string) =>
  (await stage.call<{ items: Result[] }>('GET', `/api/executions/${id}/results?limit=100`)).items;

/** Ends a step, and waits until the service has recorded that the next one is running. */
async function endStep(id: string, run: string, key: string, next: string): Promise<void> {
  await stage.letGo(`${run}-${key}`);
  const running = async () =>
    (await resultsOf(id)).filter(({ stepKey, status }) => stepKey === next && status === 'RUNNING').length;
  await expect.poll(running).toBe(HOSTS);
}

/** Compares grid and log with the API. */
async function expectTruth(page: Page, id: string): Promise<void> {
  for (const { serverName, stepKey, status } of await resultsOf(id))
    await expect(page.getByTestId(`cell-${serverName}-${stepKey}`)).toHaveAttribute('data-status', status);
  const { items } = await stage.call<{ items: { text: string }[] }>('GET', `/api/executions/${id}/output?limit=100`);
  await expect(page.getByTestId('output-line')).toHaveCount(items.length);
}

const state = (page: Page) => page.getByTestId('stream-state');

test('the page shows that its connection is lost, and catches up without a reload', async ({ page }) => {
  const id = await start('first');
  await page.clock.install();
  await signIn(page, { ...stage.runward, url: proxy.url });
  await page.goto(`${proxy.url}/executions/${id}`);
  await expect(state(page)).toHaveText('Live');
  await expect(page.getByTestId('cell-web-1-one')).toHaveAttribute('data-status', 'RUNNING');
  await page.evaluate(() => Object.assign(window, { notReloaded: true }));

  proxy.cut();
  await expect(state(page)).toHaveText('Connection lost, reconnecting…');
  await takeScreenshot(page, 'broken-network');
  await endStep(id, 'first', 'one', 'two');
  await expect(page.getByTestId('cell-web-1-one')).toHaveAttribute('data-status', 'RUNNING');
  proxy.restore();
  await page.clock.runFor(20_000);
  await expect(state(page)).toHaveText('Live');
  await expectTruth(page, id);

  proxy.stall();
  await endStep(id, 'first', 'two', 'three');
  // Two missing comments of the server.
  await page.clock.runFor(12_500);
  await expect(state(page)).toHaveText('Connection lost, reconnecting…');
  proxy.restore();
  await page.clock.runFor(20_000);
  await expect(state(page)).toHaveText('Live');
  await expectTruth(page, id);

  proxy.delay(200);
  proxy.cut();
  await stage.letGo('first-three');
  await stage.call('GET', `/api/executions/${id}?wait=50&until=finished`);
  // A laptop that sleeps for an hour.
  await page.clock.fastForward('01:00:00');
  proxy.restore();
  await page.clock.runFor(20_000);
  await expect(page.getByTestId('run-status')).toHaveText('Succeeded');
  await expect(state(page)).toHaveCount(0);
  await expectTruth(page, id);
  proxy.delay(0);
  expect(await page.evaluate(() => 'notReloaded' in window)).toBe(true);
});

test('ten windows of a live run all show its end, although a browser opens only six connections', async ({
  context,
}) => {
  const id = await start('tabs');
  const pages = await Promise.all(Array.from({ length: TABS }, () => context.newPage()));
  await signIn(pages[0]!, stage.runward);
  await Promise.all(
    pages.map(async (page) => {
      await page.goto(`${stage.runward.url}/executions/${id}`);
      const cell = page.getByTestId('cell-web-1-one');
      await expect(cell).toHaveAttribute('data-status', 'RUNNING', { timeout: 60_000 });
    }),
  );
  for (const key of ['one', 'two', 'three']) await stage.letGo(`tabs-${key}`);
  await Promise.all(
    pages.map(async (page) => {
      await expect(page.getByTestId('run-status')).toHaveText('Succeeded', { timeout: 30_000 });
      await expect(page.getByTestId('output-line')).toHaveCount(HOSTS * 3);
    }),
  );
});
