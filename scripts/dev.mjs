/**
 * Starts the development setup: the back end, compiled and restarted when its files change, and the dashboard through
 * Vite with hot reload. Uses a separate data folder and listens on loopback only. Runs on the product's Node.js; the
 * packages must be installed.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createServer } from 'vite';
import { requireFreePort, makeDataFolder } from './lib/demo/server.mjs';
import { BackEnd } from './lib/dev/back-end.mjs';
import { startCompiler } from './lib/dev/compiler.mjs';
import { storedLogin } from './lib/kept-login.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { bold, cyan, dim, green, red, say, yellow } from './lib/terminal.mjs';

const HOST = '127.0.0.1';
const INSPECT_PORT = 9229;
/**
 * Environment variables to remove: they would select a database, key or address that does not belong to the data
 * folder.
 */
const REMOVED_SETTINGS = [
  ...['DATABASE_URL', 'RUNWARD_DATABASE_APP_URL', 'RUNWARD_HEALTH_PORT', 'RUNWARD_TRUSTED_PROXIES'],
  ...['RUNWARD_MASTER_KEY', 'RUNWARD_MASTER_KEY_FILE', 'RUNWARD_NEW_MASTER_KEY', 'RUNWARD_NEW_MASTER_KEY_FILE'],
];

const OPTIONS = {
  port: { type: 'string', default: '5173' },
  'api-port': { type: 'string', default: '8090' },
  data: { type: 'string', default: 'data/dev' },
  inspect: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};
const USAGE = `npm run dev -- [options]
  --port N      port of the dashboard (5173)
  --api-port N  port of the back end (8090)
  --data DIR    its data folder (data/dev)
  --inspect     lets debuggers attach: to the API at port ${INSPECT_PORT}, to the worker at ${INSPECT_PORT + 1}`;

const undo = [];
let ending = false;

async function main() {
  const options = readOptions();
  if (options.help) return say(USAGE);
  const { port, apiPort, dataDir, inspect } = options;
  await requireFreePort(HOST, port, `npm run dev -- --port ${port + 1}`);
  await requireFreePort(HOST, apiPort, `npm run dev -- --api-port ${apiPort + 1}`);
  makeDataFolder(dataDir, '--data');
  const dashboard = `http://${HOST}:${port}`;
  const api = `http://${HOST}:${apiPort}`;
  const login = storedLogin(dataDir, 'admin@dev.runward.local');
  let startedAt = false;
  const backEnd = new BackEnd({
    base: api,
    env: settings({ dashboard, apiPort, dataDir, login, inspect }),
    inspectPort: inspect ? INSPECT_PORT : undefined,
    onReady: (ms) => {
      if (startedAt) say(`${green('✓')} The back end runs again ${dim(`(${(ms / 1000).toFixed(1)} s)`)}`);
      else greet({ dashboard, api, login, dataDir });
      startedAt = true;
    },
    onEnd: () => say(`${red('✗')} The back end ended unexpectedly. It starts again when one of its files changes.`),
  });
  undo.push(() => backEnd.stop());

  await startDashboard(port, api);
  say('Compiling the back end');
  const compiler = startCompiler({
    say,
    onResult: (errors) => {
      if (errors === 0) return backEnd.restart();
      say(`${red('✗')} ${errors === 1 ? 'One error' : `${errors} errors`}: the previous version still runs.`);
    },
  });
  undo.push(() => compiler.stop());
  await compiler.exited;
  if (!ending) throw new Error('The compiler ended unexpectedly.');
}

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({ options: OPTIONS }));
  } catch (error) {
    throw new Error(`${error.message}\n${USAGE}`, { cause: error });
  }
  const portOf = (name) => {
    const number = Number(values[name]);
    if (Number.isInteger(number) && number >= 1 && number <= 65_535) return number;
    throw new Error(`--${name} ${values[name]}: give a port from 1 to 65535, such as ${OPTIONS[name].default}.`);
  };
  const { data, inspect, help } = values;
  return { port: portOf('port'), apiPort: portOf('api-port'), dataDir: path.resolve(root, data), inspect, help };
}

function settings({ dashboard, apiPort, dataDir, login, inspect }) {
  return {
    ...Object.fromEntries(REMOVED_SETTINGS.map((name) => [name, undefined])),
    RUNWARD_ROLE: 'all',
    // Debugging needs one worker, because each worker would need its own port.
    RUNWARD_WORKERS: inspect ? '1' : process.env.RUNWARD_WORKERS || '1',
    RUNWARD_HOST: HOST,
    RUNWARD_PORT: String(apiPort),
    RUNWARD_PUBLIC_URL: dashboard,
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_TENANT: process.env.RUNWARD_TENANT || 'dev',
    RUNWARD_ADMIN_EMAIL: login.email,
    RUNWARD_ADMIN_PASSWORD: login.password,
  };
}

/** Starts Vite in this process. Vite forwards /api to the back end. */
async function startDashboard(port, api) {
  const server = await createServer({
    root: inRoot('frontend'),
    clearScreen: false,
    logLevel: 'warn',
    server: { host: HOST, port, strictPort: true, proxy: { '/api': api } },
  });
  undo.push(() => server.close());
  await server.listen();
}

function greet({ dashboard, api, login, dataDir }) {
  say('');
  say(`  ${green('➜')} Dashboard  ${bold(cyan(dashboard))}  ${dim('reloads while you write')}`);
  say(`    API        ${api}/api/docs`);
  say(`    E-mail     ${login.email}`);
  say(`    Password   ${login.password}`);
  say('');
  say(
    dim(
      `  Data in ${path.relative(root, dataDir) || dataDir}. Ctrl-C ends the back end, its database and the dashboard.`,
    ),
  );
  if (process.env.DATABASE_URL)
    say(yellow('  DATABASE_URL is set and not used: the database is that of the data folder.'));
  say('');
}

/** Stops everything in reverse order of its start. A second call exits immediately. */
async function end(code) {
  if (ending) process.exit(code || 1);
  ending = true;
  for (const step of undo.reverse()) await step().catch((error) => say(dim(`While ending: ${error.message}`)));
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    say(dim('\nEnding'));
    void end(0);
  });
}
try {
  await main();
} catch (error) {
  if (!ending) {
    say(`${red('✗')} ${error.message}`);
    await end(1);
  }
}
