/**
 * Takes the pictures of README.md and docs/ from the demo, so that they show the present dashboard. Uses a running demo
 * with RUNWARD_DATA_DIR and RUNWARD_PORT, or else starts one in a new folder and ends it afterwards.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { ensureChromium } from './lib/chromium.mjs';
import { Api } from './lib/demo/api.mjs';
import { REVIEWER } from './lib/demo/content/fleet.mjs';
import { storedLogin } from './lib/kept-login.mjs';
import { inRoot, productNode, root } from './lib/paths.mjs';
import { green, red, say, withProgress } from './lib/terminal.mjs';

const MAX_BYTES = 200_000;
const folder = inRoot('docs', 'images');
const port = Number(process.env.RUNWARD_PORT || 8090);
const base = `http://127.0.0.1:${port}`;
const running = process.argv.includes('--running');
const dataDir = running
  ? path.resolve(root, process.env.RUNWARD_DATA_DIR || 'data/demo')
  : mkdtempSync(path.join(os.tmpdir(), 'runward-pictures-'));

/** `text` is visible when the page is complete. `top` moves to the top of the picture. */
const pictures = ({ failed, dryRun, waiting }) => [
  { file: 'overview.png', path: '/', text: 'staging-web-3', height: 1000 },
  { file: 'run.png', path: failed.run, text: 'health check: 503' },
  { file: 'log.png', path: failed.log, text: 'Exit code 1', top: 'Find a host' },
  { file: 'fleet.png', path: '/servers', text: 'staging-web-3' },
  { file: 'dry-run.png', path: dryRun.run, text: 'client_max_body_size 32m', top: 'Write the virtual host' },
  { file: 'approval.png', path: waiting.run, text: 'Content to approve', login: 'reviewer' },
  { file: 'phone.png', path: waiting.run, text: 'Content to approve', login: 'reviewer', phone: true },
];

async function main() {
  const demo = running ? undefined : await withProgress('Starting a demo', startDemo);
  try {
    const api = new Api(base);
    const admin = storedLogin(dataDir, 'admin@demo.runward.local');
    const reviewer = { ...REVIEWER, password: readFileSync(path.join(dataDir, 'reviewer-password'), 'utf8').trim() };
    await api.login(admin.email, admin.password);
    const runs = await placesOf(api);
    const browser = await chromium.launch({ executablePath: await ensureChromium(), args: ['--no-sandbox'] });
    try {
      for (const picture of pictures(runs)) {
        await take(browser, picture, picture.login === 'reviewer' ? reviewer : admin);
      }
    } finally {
      await browser.close();
    }
  } finally {
    await demo?.stop();
  }
}

function startDemo() {
  const env = { ...process.env, RUNWARD_DATA_DIR: dataDir, RUNWARD_PORT: String(port) };
  const child = spawn(productNode(), [inRoot('scripts', 'demo.mjs')], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
      if (/Ctrl-C ends/.test(output)) resolve({ stop });
    });
    void ended.then(() => reject(new Error(`The demo ended:\n${output.slice(-1000)}`)));
  });
}

/** Returns the addresses of the runs that the demo leaves open. */
async function placesOf(api) {
  const placeOf = async (key) => {
    const { items } = await api.get(`/api/executions?limit=1&label=demo%3D${key}`);
    const { id, hosts } = await api.get(`/api/executions/${items[0].id}`);
    const host = hosts.find(({ status }) => status === 'FAILED') ?? hosts[0];
    return { run: `/executions/${id}`, host: host.name };
  };
  const failed = await placeOf('staging-failed');
  const dryRun = await placeOf('staging-dry-run');
  return {
    failed: {
      run: failed.run,
      log: `${failed.run}?host=${failed.host}&step=switch`,
    },
    dryRun,
    waiting: await placeOf('production-waiting'),
  };
}

/** Keeps the element below the header of the dashboard. */
const scrollToTop = (element) =>
  element.ownerDocument.defaultView.scrollBy(0, element.getBoundingClientRect().top - 80);

async function take(browser, { file, path: place, text, top, height = 800, phone = false }, { email, password }) {
  const context = await browser.newContext({
    viewport: phone ? { width: 390, height: 844 } : { width: 1280, height },
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    baseURL: base,
  });
  try {
    const page = await context.newPage();
    const answer = await context.request.post('/api/auth/login', { data: { email, password } });
    if (!answer.ok()) throw new Error(`${email} could not sign in (${answer.status()}).`);
    // The tour would cover a part of the page.
    await page.addInitScript(() => localStorage.setItem('runward.tour', '-1'));
    await page.goto(place);
    await page.getByText(text).first().waitFor();
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
    if (top) await page.getByText(top).or(page.getByPlaceholder(top)).first().evaluate(scrollToTop);
    await page.screenshot({ path: path.join(folder, file) });
    const { size } = statSync(path.join(folder, file));
    if (size > MAX_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MAX_BYTES}.`);
    say(`${green('✓')} docs/images/${file} (${Math.round(size / 1000)} kB)`);
  } finally {
    await context.close();
  }
}

try {
  await main();
} catch (error) {
  say(`${red('✗')} ${error.message}`);
  process.exitCode = 1;
}
