/**
 * Measures how fast the dashboard appears. For each page: bytes on the wire with an empty cache, requests, milliseconds
 * until the content is visible at 1.6 Mbps and 150 ms latency and with a warm cache, and layout shift. Then the duration of
 * changes between pages. Prints a line of JSON for each. Build first.
 * Usage: CHROMIUM=… node tools/bench/first-load.mjs [rounds]
 *
 * Machines are shared and noisy: compare figures of one execution only.
 */
import { chromium } from '@playwright/test';
import { load, median, startBench } from './lib/bench-runward.mjs';
import { createInventory, storeLog, storeRun } from './lib/stored-runs.mjs';

const ROUNDS = Number(process.argv[2] ?? 3);
/** 1.6 Mbps down, 750 kbps up. */
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 };
const ASSETS = ['Document', 'Script', 'Stylesheet', 'Font'];
const VIEWPORT = { width: 1440, height: 900 };

const bench = await startBench();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined });
const print = (figures) => process.stdout.write(`${JSON.stringify({ ...figures, load: load() })}\n`);

async function openContext(signedIn) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const [name, value] = bench.cookie.split('=');
  if (signedIn) await context.addCookies([{ name, value, url: bench.url }]);
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.layoutShift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.layoutShift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  return { context, page };
}

/** Records type, address and bytes of each response of the page. */
async function recordResponses(context, page, network) {
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  if (network) await session.send('Network.emulateNetworkConditions', network);
  const requests = new Map();
  const responses = [];
  session.on('Network.requestWillBeSent', ({ requestId, request, type }) =>
    requests.set(requestId, { type, url: request.url }),
  );
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId);
    if (request) responses.push({ ...request, bytes: encodedDataLength });
  });
  return responses;
}

/** Milliseconds from the navigation until each selector is visible. */
async function open(page, path, selectors) {
  const from = performance.now();
  await page.goto(bench.url + path, { waitUntil: 'commit' });
  const times = selectors.map(async (selector) => {
    await page.locator(selector).first().waitFor();
    return Math.round(performance.now() - from);
  });
  return Promise.all(times);
}

const kilobytes = (responses) => +(responses.reduce((sum, { bytes }) => sum + bytes, 0) / 1000).toFixed(1);

/** One visit with an empty cache and a slow network, one with a warm cache and without delay. */
async function measureVisits(path, content, signedIn) {
  const { context, page } = await openContext(signedIn);
  const responses = await recordResponses(context, page, SLOW_NETWORK);
  const [headingMs, contentMs] = await open(page, path, ['h1', content]);
  await page.waitForLoadState('networkidle');
  const layoutShift = await page.evaluate(() => globalThis.layoutShift);
  const byType = Object.fromEntries(
    ASSETS.map((type) => [type.toLowerCase(), kilobytes(responses.filter((each) => each.type === type))]),
  );
  const api = responses.filter(({ url }) => url.includes('/api/'));
  const figures = {
    headingMs,
    contentMs,
    layoutShift,
    kB: kilobytes(responses.filter(({ type }) => ASSETS.includes(type))),
    ...byType,
    files: responses.length - api.length,
    apiRequests: api.length,
    apiKb: kilobytes(api),
  };
  if (process.env.VERBOSE) for (const { url, bytes } of responses) process.stderr.write(`${bytes} ${url}\n`);
  await page.goto('about:blank');
  const second = await context.newPage();
  const [, warmMs] = await open(second, path, ['h1', content]);
  await context.close();
  return { ...figures, warmMs };
}

async function measurePage(name, path, content, { signedIn = true } = {}) {
  const visits = [];
  for (let round = 0; round < ROUNDS; round += 1) visits.push(await measureVisits(path, content, signedIn));
  const names = Object.keys(visits[0]);
  const medians = names.map((figure) => [figure, +median(visits.map((visit) => visit[figure])).toFixed(3)]);
  print({ page: name, ...Object.fromEntries(medians) });
}

/** Changes between pages by links of the menu. The first change to a page loads its scripts. */
async function measureRoutes(routes) {
  const { context, page } = await openContext(true);
  await open(page, '/', ['h1']);
  await page.waitForLoadState('networkidle');
  const times = new Map(routes.map(({ link }) => [link, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { link, heading } of routes) {
      const target = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: link, exact: true });
      const from = performance.now();
      await target.click();
      await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      await page.locator(':root:not(:has([aria-label=Loading]))').waitFor({ state: 'attached' });
      times.get(link).push(Math.round(performance.now() - from));
      await page.waitForLoadState('networkidle');
    }
  }
  for (const [link, [firstMs, ...laterMs]] of times) print({ route: link, firstMs, warmMs: median(laterMs) });
  await context.close();
}

try {
  const environmentId = await createInventory(bench);
  await storeRun(bench, { environmentId, stepCount: 12, hostCount: 40 });
  const id = await storeRun(bench, { environmentId, stepCount: 1, hostCount: 1 });
  await storeLog(bench, id, 10_000);
  await measurePage('login', '/login', 'input[type=password]', { signedIn: false });
  await measurePage('overview', '/', 'section, [role=note]');
  await measurePage('plans', '/plans', 'tbody tr');
  await measurePage('run', `/executions/${id}`, '[data-testid=output-line]');
  await measureRoutes([
    { link: 'Runs', heading: 'Runs' },
    { link: 'Plans', heading: 'Plans' },
    { link: 'Fleet', heading: 'Servers' },
    { link: 'Overview', heading: 'Overview' },
  ]);
} finally {
  await browser.close();
  await bench.close();
}
