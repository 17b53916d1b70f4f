import { expect, test } from '@playwright/test';
import { apiOf } from '../support/api.js';
import { type Runward, startRunward } from '../support/runward.js';
import { openPageAs } from '../support/page-helpers.js';

const SERVERS = 10_000;
const LOADED_ROWS = 2_000;
const FRAME_COUNT = 400;
const STEP_PX = 240;

let runward: Runward;
test.beforeAll(async () => {
  runward = await startRunward();
});
test.afterAll(() => runward?.stop());

test(`scrolls the list of ${SERVERS} servers`, async ({ browser }) => {
  const call = await apiOf(runward);
  const { id: environmentId } = await call('POST', '/api/environments', { name: 'large' });
  const { id: sshKeyId } = await call('POST', '/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  const servers = Array.from({ length: SERVERS }, (_, index) => ({
    ...{ name: `web-${index}`, hostname: `web-${index}.internal`, username: 'deploy' },
    tags: { role: 'web', rack: `r${index % 40}` },
  }));
  const { id } = await call('POST', '/api/inventory/servers/import?wait=50', {
    ...{ format: 'json', content: JSON.stringify(servers), environmentId, sshKeyId },
  });
  const stateOf = async () => (await call<{ status: string }>('GET', `/api/inventory/imports/${id}?wait=50`)).status;
  await expect.poll(stateOf, { timeout: 300_000 }).toBe('succeeded');

  const page = await openPageAs(browser, runward, runward);
  await page.goto(`${runward.url}/servers`);
  const list = page.getByRole('region', { name: 'List of servers' });
  for (let loaded = 0; loaded < LOADED_ROWS; ) {
    await list.evaluate((frame) => frame.scrollTo({ top: frame.scrollHeight }));
    const text = (await page.getByText(/ of 10,000 servers loaded/).textContent()) ?? '0';
    loaded = Number(text.split(' of ')[0]?.replaceAll(',', ''));
  }
  await list.evaluate((frame) => frame.scrollTo({ top: 0 }));
  const session = await page.context().newCDPSession(page);
  // Counts only the page's main thread, without other load of the machine.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const metrics = async () =>
    Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  const before = await metrics();
  const gaps = await list.evaluate(
    (frame, { frames, step }) =>
      new Promise<number[]>((done) => {
        const found: number[] = [];
        let last = performance.now();
        const next = (now: number): void => {
          found.push(now - last);
          last = now;
          frame.scrollTop += step;
          if (found.length < frames) requestAnimationFrame(next);
          else done(found.slice(5));
        };
        requestAnimationFrame(next);
      }),
    { frames: FRAME_COUNT, step: STEP_PX },
  );
  const after = await metrics();
  const sorted = gaps.toSorted((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  const perFrame = (name: string): string =>
    ((1000 * ((after[name] ?? 0) - (before[name] ?? 0))) / FRAME_COUNT).toFixed(2);
  console.log(`frame times, ms: median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}`);
  for (const name of ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'])
    console.log(`${name}, ms of the page's thread a frame: ${perFrame(name)}`);
});
