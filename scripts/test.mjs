/** Runs all tests. Stages that fail fastest come first. Runs on the product's Node.js, after the build. */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { apiBreaks, apiDrift } from './lib/api-drift.mjs';
import { ensureChromium } from './lib/chromium.mjs';
import { memoryFolder } from './lib/memory-folder.mjs';
import { cacheDir, inRoot, npmCommand, productNode } from './lib/paths.mjs';
import { runInForeground, TIMEOUT_EXIT_CODE } from './lib/run.mjs';
import { ensureSshd } from './lib/sshd.mjs';
import { bold, dim, green, red, say, seconds } from './lib/terminal.mjs';
import { ensureTestTools } from './lib/test-tools.mjs';
import { chaosCounts, jestCounts, playwrightCounts, vitestCounts } from './lib/test-counts.mjs';

const jestResults = path.join(cacheDir, 'jest-results.json');
const vitestResults = path.join(cacheDir, 'vitest-results.json');
const playwrightResults = path.join(cacheDir, 'playwright-results.json');
const checkerResults = path.join(cacheDir, 'chaos-checker-results.json');
const chaosResults = path.join(cacheDir, 'chaos-results.json');
/** Time in minutes during which new trials start. The whole stage takes about two minutes. */
const CHAOS_MINUTES = '0.6';
const jest = (config, results) => [
  productNode(),
  '--experimental-vm-modules',
  '--no-warnings',
  inRoot('node_modules/jest/bin/jest.js'),
  ...['--config', inRoot(config), '--json', '--outputFile', results],
];
const vitest = [
  productNode(),
  inRoot('node_modules/vitest/vitest.mjs'),
  ...['run', '--root', inRoot('frontend'), '--reporter=default', '--reporter=json'],
  `--outputFile.json=${vitestResults}`,
];
const chaos = [
  productNode(),
  inRoot('e2e/chaos/main.mjs'),
  '--minutes',
  CHAOS_MINUTES,
  ...['--database', 'both'],
  '--namespaces',
  'off',
  '--counts',
  chaosResults,
];
const playwright = [
  productNode(),
  inRoot('node_modules/@playwright/test/cli.js'),
  ...['test', '--config', inRoot('e2e/playwright.config.ts'), '--reporter=list,json'],
];

const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });

/** @param minutes time limit; must be at least three times the usual duration */
async function run(command, minutes, env) {
  const code = await runInForeground(command, { env, apart: false, maxMs: minutes * 60_000 });
  if (code === TIMEOUT_EXIT_CODE) say(`${red('✗')} It was ended after ${minutes} minutes.`);
  return code;
}
const npm = (script) => run([...npmCommand(), 'run', '--silent', script], 12);
let chromium;

const STAGES = [
  { group: 'lint', title: 'Types, lint, format, boundaries', work: checkSources },
  { group: 'lint', title: 'API description', work: checkApi },
  {
    group: 'frontend',
    title: 'Front end',
    work: () => run([...vitest, ...positionals], 10),
    count: () => vitestCounts(vitestResults),
  },
  { group: 'backend', title: 'SSH server and tools for the tests', work: prepareHosts },
  {
    group: 'backend',
    title: 'Back end and command line',
    work: () => run([...jest('backend/jest.config.mjs', jestResults), ...positionals], 55),
    count: () => jestCounts(jestResults),
  },
  { group: 'e2e', title: 'Browser for the tests', work: prepareChromium },
  {
    group: 'e2e',
    title: 'Browser stories',
    work: () =>
      run([...playwright, ...positionals], 35, { PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightResults, CHROMIUM: chromium }),
    count: () => playwrightCounts(playwrightResults),
  },
  {
    group: 'chaos',
    title: 'Checker of the chaos harness',
    work: () => run(jest('e2e/chaos/jest.config.mjs', checkerResults), 5),
    count: () => jestCounts(checkerResults),
  },
  { group: 'chaos', title: 'Runs under faults', work: () => run(chaos, 20), count: () => chaosCounts(chaosResults) },
];

/** Runs commands one after another, because each uses more than one processor. */
async function checkSources() {
  return (await npm('lint:code')) || (await npm('lint:layout')) || (await npm('lint:sql')) || npm('lint:texts');
}

async function checkApi() {
  const drift = apiDrift();
  for (const line of drift) say(`${red('✗')} ${line}: run \`npm run build\` and commit the result.`);
  const breaks = apiBreaks();
  for (const line of breaks) say(`${red('✗')} ${line}: this breaks clients, see docs/development.md#released-api.`);
  return drift.length + breaks.length === 0 ? 0 : 1;
}

async function prepareSshd() {
  say(dim(await ensureSshd({ log: say })));
  return 0;
}

async function prepareHosts() {
  say(dim((await ensureTestTools({ log: say })).join(', ')));
  return prepareSshd();
}

async function prepareChromium() {
  // The browser tests also run plans on SSH servers.
  if (values.only === 'e2e') await prepareSshd();
  chromium = await ensureChromium({ log: say });
  say(dim(chromium));
  return 0;
}

async function runStage(stage) {
  const start = performance.now();
  say(`\n${bold(`== ${stage.title}`)}`);
  const code = await Promise.resolve()
    .then(stage.work)
    .catch((error) => {
      say(`${red('✗')} ${String(error.stderr || error.message).trim()}`);
      return 1;
    });
  const counts = stage.count?.();
  const numbers = counts ? `, ${counts.passed} passed, ${counts.failed} failed` : '';
  say(`${code === 0 ? green('✓') : red('✗')} ${stage.title} ${dim(`(${seconds(start)}${numbers})`)}`);
  return { code, counts };
}

const groups = [...new Set(STAGES.map((stage) => stage.group))];
if (values.only !== undefined && !groups.includes(values.only)) {
  say(`--only takes one of ${groups.join(', ')}.`);
  process.exit(2);
}
mkdirSync(cacheDir, { recursive: true });
// Tests start Runward, its workers and its command line hundreds of times. With the cache, their code is compiled only
// once.
process.env.NODE_COMPILE_CACHE ??= path.join(cacheDir, 'compiled');
const inMemory = memoryFolder();
if (inMemory) process.env.TMPDIR = inMemory;
for (const file of [jestResults, vitestResults, playwrightResults, checkerResults, chaosResults])
  rmSync(file, { force: true });

const start = performance.now();
const total = { passed: 0, failed: 0 };
let code = 0;
for (const stage of STAGES.filter((one) => values.only === undefined || one.group === values.only)) {
  const outcome = await runStage(stage);
  total.passed += outcome.counts?.passed ?? 0;
  total.failed += outcome.counts?.failed ?? 0;
  if (outcome.code === 0) continue;
  code = outcome.code;
  // A failed stage without test counts adds one failure. Otherwise the last line would report no failure.
  if (!outcome.counts?.failed) total.failed += 1;
  break;
}
say(`\n${dim(`All in ${seconds(start)}`)}`);
say(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = code;
