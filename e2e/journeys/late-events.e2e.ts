import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { type Stage, startStage } from '../support/stage.js';
import { signIn } from '../support/page-helpers.js';

let stage: Stage;

test.beforeAll(async () => {
  stage = await startStage(['127.0.4.1']);
});
test.afterAll(() => stage?.end());

function signal(): { given: Promise<void>; give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => (give = resolve));
  return { given, give };
}

/**
 * Forwards the page's streams until a frame matches `first`. This frame and all later ones wait for `releaseFrames`.
 */
async function delayFramesFrom(page: Page, first: RegExp): Promise<void> {
  await page.addInitScript((source) => {
    const held = new RegExp(source);
    const released = new Promise<void>((resolve) => Object.assign(window, { releaseFrames: resolve }));
    const plainFetch = window.fetch.bind(window);
    window.fetch = async (input, init) => {
      const answer = await plainFetch(input, init);
      const url = input instanceof Request ? input.url : String(input);
      if (!url.includes('/stream') || !answer.body) return answer;
      let rest = '';
      const frames = new TransformStream<string, string>({
        async transform(text, to) {
          rest += text;
          for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
            const frame = rest.slice(0, end + 2);
            rest = rest.slice(end + 2);
            if (held.test(frame)) await released;
            // Like a real abort, discards unread bytes, including those that are held here.
            init?.signal?.throwIfAborted();
            to.enqueue(frame);
          }
        },
      });
      const body = answer.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(frames)
        .pipeThrough(new TextEncoderStream());
      return new Response(body, { status: answer.status, headers: answer.headers });
    };
  }, first.source);
}

const releaseFrames = (page: Page): Promise<void> =>
  page.evaluate(() => (window as unknown as { releaseFrames: () => void }).releaseFrames());

for (const mode of ['auto', 'dry_run'] as const) {
  test(`a page that learns the end of a run before the latest events still shows its history (${mode})`, async ({
    page,
  }) => {
    const ready = `test -f ${join(stage.folder, mode)}`;
    const steps = [
      {
        key: 'first',
        name: 'First',
        command: `until ${ready}; do sleep 0.1; done`,
        check: `until ${ready}; do sleep 0.1; done`,
      },
      { key: 'last', name: 'Last', command: 'echo famous last words', check: 'true' },
    ];
    const id = await stage.startRun(await stage.planOf(`Late ${mode}`, steps), mode);
    await delayFramesFrom(page, /event: host\.finished\n.*"stepKey":"last"/);
    await signIn(page, stage.runward);
    await page.goto(`${stage.runward.url}/executions/${id}`);
    await expect(page.getByTestId('cell-web-1-first')).toHaveAttribute('data-status', 'RUNNING');

    await page.route(`**/api/executions/${id}`, async (route) => {
      await expect
        .poll(async () => (await stage.call<{ finished: boolean }>('GET', `/api/executions/${id}`)).finished)
        .toBe(true);
      await route.continue();
    });
    await stage.letGo(mode);
    await expect(page.getByTestId('run-status')).toContainText('Succeeded');
    await releaseFrames(page);
    await expect(page.getByTestId('cell-web-1-last')).toHaveAttribute('data-status', 'SUCCEEDED');
    if (mode === 'auto') await expect(page.getByText('famous last words', { exact: true })).toBeVisible();
  });
}

test('a response about hosts from before the end of a run that arrives later changes nothing', async ({ page }) => {
  const command = `until test -f ${join(stage.folder, 'late-answer')}; do sleep 0.1; done`;
  const id = await stage.startRun(await stage.planOf('Late answer', [{ key: 'only', name: 'Only', command }]));
  const running = async () =>
    (await stage.call<{ status: string }>('GET', `/api/executions/${id}`)).status === 'RUNNING';
  await expect.poll(running).toBe(true);
  const started = async () =>
    (await stage.call<{ items: { status: string }[] }>('GET', `/api/executions/${id}/results`)).items[0]?.status;
  await expect.poll(started).toBe('RUNNING');
  const [read, ended] = [signal(), signal()];
  let answers = 0;
  await page.route(`**/api/executions/${id}/results/grid*`, async (route) => {
    answers += 1;
    if (answers > 1) return route.continue();
    const answer = await route.fetch();
    read.give();
    await ended.given;
    // Fails if the page has aborted the request.
    await route.fulfill({ response: answer }).catch(() => undefined);
  });
  await signIn(page, stage.runward);
  await page.goto(`${stage.runward.url}/executions/${id}`);
  await read.given;
  await stage.letGo('late-answer');
  await expect(page.getByTestId('run-status')).toContainText('Succeeded');
  ended.give();
  // Now the delayed response has arrived or was aborted.
  await page.waitForLoadState('networkidle');
  await expect(page.getByTestId('cell-web-1-only')).toHaveAttribute('data-status', 'SUCCEEDED');
});
