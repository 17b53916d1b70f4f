/**
 * Measures the page of a run with a large log or fleet: cost of a window of 500 lines on the server, time and bytes until
 * the browser shows the first lines or cells, its heap, layout shift and frames while scrolling, and searches of the
 * largest log. Prints a line of JSON for each size. Build first.
 * Usage: CHROMIUM=… node tools/bench/output-cost.mjs [lines,…] [hosts x steps,…] [search: yes|no]
 *
 * Machines are shared and noisy: compare figures of one execution only.
 */
import { chromium } from '@playwright/test';
import { load, median, startBench } from './lib/bench-runward.mjs';
import { createInventory, storeLog, storeRun } from './lib/stored-runs.mjs';

const [LINES = '10000,300000,1000000,5000000', FLEETS = '600x12,10000x20', SEARCH = 'yes'] = process.argv.slice(2);
const WINDOWS = 40;
const WHEEL_TURNS = 120;

const bench = await startBench();
const { sql, get } = bench;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined });
const print = (figures) => process.stdout.write(`${JSON.stringify({ ...figures, load: load() })}\n`);

const environmentId = await createInventory(bench);

/** Transactions and 8 KiB blocks of the database so far. Its processes report them after a second without a statement. */
async function databaseWork() {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const [row] = await sql(
    `select xact_commit::float8 as transactions, (blks_hit + blks_read)::float8 as blocks from pg_stat_database where datname = current_database()`,
  );
  return row;
}

async function measureWindows(id, lines) {
  const path = `/api/executions/${id}/output/window`;
  const times = [];
  await get(`${path}?from=1&limit=500`);
  const before = await databaseWork();
  const begin = performance.now();
  for (let index = 0; index < WINDOWS; index += 1) {
    const from = performance.now();
    await get(`${path}?from=${1 + Math.floor((index / WINDOWS) * Math.max(0, lines - 500))}&limit=500`);
    times.push(performance.now() - from);
  }
  const duration = performance.now() - begin;
  const after = await databaseWork();
  // An idle installation also reads.
  await new Promise((resolve) => setTimeout(resolve, duration));
  const idle = await databaseWork();
  const perWindow = (name) => +((2 * after[name] - before[name] - idle[name]) / WINDOWS).toFixed(1);
  return { windowMs: +median(times).toFixed(1), transactions: perWindow('transactions'), blocks: perWindow('blocks') };
}

/** Opens the page of the run until the selector is visible, then measures it at rest. */
async function measurePage(id, selector) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const [name, value] = bench.cookie.split('=');
  await context.addCookies([{ name, value, url: bench.url }]);
  const page = await context.newPage();
  await page.goto(`${bench.url}/executions`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  const answers = [];
  const requests = new Map();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => requests.set(requestId, request.url));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (requests.get(requestId)?.includes('/api/')) answers.push(encodedDataLength);
  });
  await page.addInitScript(() => {
    globalThis.layoutShift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.layoutShift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const from = performance.now();
  await page.goto(`${bench.url}/executions/${id}`);
  await page.locator(selector).first().waitFor();
  const firstMs = Math.round(performance.now() - from);
  const firstKb = Math.round(answers.reduce((sum, bytes) => sum + bytes, 0) / 1000);
  const firstRequests = answers.length;
  await page.waitForLoadState('networkidle');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const layoutShift = await page.evaluate(() => globalThis.layoutShift);
  const scrolling = await measureScrolling(page, selector);
  await context.close();
  return {
    firstMs,
    firstKb,
    firstRequests,
    heapMb: +(usedSize / 1e6).toFixed(1),
    layoutShift: +layoutShift.toFixed(3),
    ...scrolling,
  };
}

/** Scrolls with the mouse wheel. A headless browser without a graphics card has at most 60 frames a second. */
async function measureScrolling(page, selector) {
  await page.locator(selector).first().hover();
  await page.evaluate(() => {
    globalThis.frames = [];
    const record = (at) => {
      globalThis.frames.push(at);
      globalThis.requestAnimationFrame(record);
    };
    globalThis.requestAnimationFrame(record);
  });
  for (let turn = 0; turn < WHEEL_TURNS; turn += 1) await page.mouse.wheel(0, turn % 40 < 20 ? 300 : -300);
  const frames = await page.evaluate(() => globalThis.frames);
  const gaps = frames.slice(1).map((at, index) => at - frames[index]);
  const seconds = (frames.at(-1) - frames[0]) / 1000;
  return {
    framesPerSecond: Math.round(gaps.length / seconds),
    medianFrameMs: Math.round(median(gaps)),
    longestFrameMs: Math.round(Math.max(...gaps)),
  };
}

async function measureSearch(id, query) {
  const from = performance.now();
  let [firstHitMs, hits, requests] = [null, 0, 0];
  for (let after = ''; after !== null; ) {
    const answer = await get(`/api/executions/${id}/output/hits/counts?${query}${after && `&after=${after}`}`);
    hits += answer.hits;
    requests += 1;
    if (hits > 0) firstHitMs ??= Math.round(performance.now() - from);
    after = answer.nextAfter;
  }
  return { search: query, firstHitMs, totalMs: Math.round(performance.now() - from), hits, requests };
}

try {
  for (const lines of LINES.split(',').filter(Boolean).map(Number)) {
    const id = await storeRun(bench, { environmentId, stepCount: 1, hostCount: 1 });
    const { ms } = await bench.cost(() => storeLog(bench, id, lines));
    const windows = await measureWindows(id, lines);
    print({
      lines,
      storedInSeconds: Math.round(ms / 1000),
      ...windows,
      ...(await measurePage(id, '[data-testid=output-line]')),
    });
    if (lines < 1_000_000 || SEARCH === 'no') continue;
    for (const query of ['q=needle', 'q=needle&matchCase=true', 'q=n(e|x){2}dle&regex=true'])
      print({ lines, ...(await measureSearch(id, query)) });
  }
  for (const fleet of FLEETS.split(',').filter(Boolean)) {
    const [hosts, steps] = fleet.split('x').map(Number);
    const id = await storeRun(bench, { environmentId, stepCount: steps, hostCount: hosts });
    print({ fleet, ...(await measurePage(id, '[data-testid^=cell-]')) });
  }
} finally {
  await browser.close();
  await bench.close();
}
