/**
 * Starts the demo: Runward with a separate database, eight SSH servers on loopback, and the plans and runs of a small
 * company. What runs is created by the public HTTP API. Sample history is stored directly and marked as such. A second
 * start keeps existing records and runs one plan again.
 */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api, ApiError } from './lib/demo/api.mjs';
import { ensureCompany } from './lib/demo/company.mjs';
import { REVIEWER } from './lib/demo/content/fleet.mjs';
import { BACKUP } from './lib/demo/content/plans.mjs';
import { ensureOpenEnds, ensureSuccesses, waitForSuccess } from './lib/demo/first-runs.mjs';
import { ensureFleet } from './lib/demo/fleet.mjs';
import { hasHistory, storeHistory } from './lib/demo/history.mjs';
import { stateOf } from './lib/demo/run-state.mjs';
import { follow } from './lib/demo/run-view.mjs';
import { requireFreePort, makeDataFolder, startServer } from './lib/demo/server.mjs';
import { passwordFileOf, storedLogin, storedPassword } from './lib/kept-login.mjs';
import { root } from './lib/paths.mjs';
import { bold, cyan, dim, green, red, say, seconds, withProgress } from './lib/terminal.mjs';

const OVERLAP_TIMEOUT_MS = 15_000;
const CANCEL_TIMEOUT_MS = 5_000;

const startedAt = performance.now();
const runOnce = process.argv.includes('--once');
const host = process.env.RUNWARD_HOST || '127.0.0.1';
const port = Number(process.env.RUNWARD_PORT || 8080);
const base = `http://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
const tenant = process.env.RUNWARD_TENANT || 'demo';
const dataDir = path.resolve(root, process.env.RUNWARD_DATA_DIR || 'data/demo');

const stopping = new AbortController();
const undo = [];
/** Exit code after Ctrl-C. For a script that waits for the demo: it reports whether the run succeeded. */
let finalCode = 0;

async function main() {
  await requireFreePort(host, port, `RUNWARD_PORT=${port + 1} npm run demo`);
  makeDataFolder(dataDir);
  const login = storedLogin(dataDir, 'admin@demo.runward.local');
  const reviewer = { email: REVIEWER.email, password: storedPassword(path.join(dataDir, 'reviewer-password')) };
  const env = {
    RUNWARD_DATA_DIR: dataDir,
    RUNWARD_DEMO: 'on',
    RUNWARD_TENANT: tenant,
    RUNWARD_ADMIN_EMAIL: login.email,
    RUNWARD_ADMIN_PASSWORD: login.password,
  };
  const server = await withProgress('Starting Runward', () => startServer({ base, dataDir, env }));
  undo.push(() => server.stop());
  void server.exited.then(() => {
    if (stopping.signal.aborted) return;
    say(`${red('✗')} Runward ended unexpectedly:\n${server.tail()}`);
    void end(1);
  });

  const api = new Api(base);
  await signIn(api, login);
  const fleet = await withProgress('Eight hosts on real SSH', (reportProgress) =>
    ensureFleet(api, dataDir, reportProgress),
  );
  undo.push(() => fleet.sshd.stop());
  const plans = await withProgress('Plans, members and a schedule', () =>
    ensureCompany(api, fleet.environments, reviewer.password),
  );
  const context = { ...fleet, api, plans, signal: stopping.signal };
  const succeeded = (await hasHistory(api)) ? await runAgain(context) : await build(context, reviewer, env);

  say(`  ${green('➜')} Dashboard  ${bold(cyan(base))}`);
  say(`    Admin      ${login.email}  ${login.password}`);
  say(`    Reviewer   ${reviewer.email}  ${reviewer.password}  ${dim('approves runs in production')}`);
  say('');
  say(dim(`  Up after ${seconds(startedAt)}. Log: ${server.logFile.replace(`${root}/`, '')}`));
  finalCode = succeeded ? 0 : 1;
  if (runOnce) return end(finalCode);
  say(dim('  Ctrl-C ends Runward, its database and the demo servers.'));
}

/**
 * Fills the demo at its first start, or completes an interrupted one. The sample history comes last, so it shows that
 * the demo is complete.
 * @returns whether the first run succeeded
 */
async function build(context, reviewer, env) {
  const reviewerApi = new Api(base);
  await signIn(reviewerApi, reviewer);
  const runs = await ensureSuccesses(context, reviewerApi);
  const [first, ...others] = runs;
  const succeeded = await show(context.api, first);
  if (!succeeded) return false;
  await withProgress(`${others.length} more runs`, () => waitForSuccess(context, others));
  await withProgress('A failed run, a dry run, and a run that waits for approval', () => ensureOpenEnds(context));
  await withProgress('60 days of sample history', () => storeHistory(tenant, env));
  say('');
  return true;
}

/** Runs one plan, unless other runs block its host. @returns whether the run succeeded */
async function runAgain({ api, plans }) {
  const execution = await startRun(api, plans[BACKUP]);
  if (execution === null) return false;
  undo.push(() => cancelIfRunning(api, execution.id));
  return show(api, execution);
}

async function signIn(api, { email, password }) {
  try {
    await api.login(email, password);
  } catch (error) {
    if (error.status !== 401) throw error;
    throw new Error(
      `This database has no login ${email} with the password of ${passwordFileOf(dataDir)}: set RUNWARD_ADMIN_EMAIL and ` +
        `RUNWARD_ADMIN_PASSWORD to one that exists, or remove ${dataDir} to start over.`,
      { cause: error },
    );
  }
}

/** Prints the output of a run until it ends. @returns whether it succeeded */
async function show(api, { id }) {
  const state = stateOf(await api.get(`/api/executions/${id}`));
  await follow(state, api.events(id, stopping.signal));
  await report(api, id);
  return state.status === 'SUCCEEDED';
}

/**
 * Starts the run. Retries while another run blocks the servers, for example that of an earlier demo.
 * @returns null = the servers are still blocked after `OVERLAP_TIMEOUT_MS`
 */
async function startRun(api, plan) {
  const deadline = performance.now() + OVERLAP_TIMEOUT_MS;
  for (;;) {
    try {
      return await api.post('/api/executions', {
        planId: plan.id,
        execution_mode: 'auto',
        note: 'Started by the demo',
      });
    } catch (error) {
      const held = error instanceof ApiError && error.code === 'run_overlap';
      if (!held) throw error;
      if (performance.now() > deadline) {
        say(`  ${dim(`The plan was not started. ${error.problem.detail}`)}\n`);
        return null;
      }
      await sleep(500, undefined, { signal: stopping.signal });
    }
  }
}

async function report(api, executionId) {
  const [execution, { items }] = await Promise.all([
    api.get(`/api/executions/${executionId}`),
    api.get(`/api/executions/${executionId}/results?limit=200`),
  ]);
  for (const { serverId, name, status } of execution.hosts) {
    const results = items.filter((item) => item.serverId === serverId);
    const lines = results.reduce((sum, item) => sum + item.outputLines, 0);
    const failed = results.find((item) => item.message);
    const word = status === 'SUCCEEDED' ? green(status) : red(status);
    say(`  ${name.padEnd(16)}${word}  ${dim(failed?.message ?? `${results.length} steps, ${lines} lines of output`)}`);
  }
  if (execution.statusReason && !execution.successful) say(`\n  ${red(execution.statusReason.text)}`);
  say('');
}

async function cancelIfRunning(api, executionId) {
  const { finished } = await api.get(`/api/executions/${executionId}`);
  if (finished) return;
  say('Cancelling the run');
  await api.post(`/api/executions/${executionId}/cancel`, { reason: 'The demo was ended.' });
  const deadline = performance.now() + CANCEL_TIMEOUT_MS;
  while (performance.now() < deadline && !(await api.get(`/api/executions/${executionId}`)).finished) await sleep(200);
}

/** Stops everything in reverse order of its start. A second call exits immediately. */
async function end(code) {
  if (stopping.signal.aborted) process.exit(code || 1);
  stopping.abort();
  for (const step of undo.reverse()) {
    await step().catch((error) => say(dim(`While ending: ${error.message}`)));
  }
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    say(dim('\nEnding'));
    void end(finalCode);
  });
}
try {
  await main();
} catch (error) {
  if (!stopping.signal.aborted) {
    say(`${red('✗')} ${error.message}`);
    await end(1);
  }
}
