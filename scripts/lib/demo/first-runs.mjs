/** Starts the demo's first runs. Each has a label, so that a later start of the demo does not repeat it. */
import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FAULTY_HOST, STALE_LOCK } from './content/fleet.mjs';
import { BACKUP, CERTIFICATES, DEPLOY, PATCH, VHOST } from './content/plans.mjs';

const WAIT_SECONDS = 20;
const RUN_TIMEOUT_MS = 180_000;
const LABEL = 'demo';

const release = (text) => ({ variables: { release: text } });
/** In the order of their starts. Runs of one environment wait for one another if they share a host. */
const STAGING = [
  { key: 'staging-deploy', plan: DEPLOY, ...release('2026.11.0'), note: 'First release of November' },
  { key: 'staging-backup', plan: BACKUP },
  { key: 'staging-certificates', plan: CERTIFICATES },
  { key: 'staging-vhost', plan: VHOST },
  { key: 'staging-patch', plan: PATCH, note: 'Monthly updates' },
];
const PRODUCTION = [
  { key: 'production-deploy', plan: DEPLOY, ...release('2026.11.0'), note: 'Passed on staging' },
  { key: 'production-backup', plan: BACKUP },
  { key: 'production-certificates', plan: CERTIFICATES },
  { key: 'production-vhost', plan: VHOST },
  { key: 'production-patch', plan: PATCH, note: 'Monthly updates' },
];
const FAILING = { key: 'staging-failed', plan: DEPLOY, ...release('2026.11.1'), note: 'Second release of November' };
const DRY_RUN = {
  key: 'staging-dry-run',
  plan: VHOST,
  execution_mode: 'dry_run',
  variables: { max_body: '32m', keepalive: '30s' },
  note: 'What would larger uploads change?',
};
const WAITING = { key: 'production-waiting', plan: DEPLOY, ...release('2026.11.1'), note: 'Ticket 4711: new checkout' };

/**
 * Starts the runs that succeed, both environments in turns.
 * @param reviewer API with the second login, which approves the runs in production
 * @returns the runs, oldest first
 */
export async function ensureSuccesses(context, reviewer) {
  const staging = STAGING.map((run) => [run, 'staging']);
  const production = PRODUCTION.map((run) => [run, 'production']);
  const started = [];
  for (const [run, environment] of [...staging, ...production].sort(byTurn)) {
    const execution = await ensureRun(context, run, environment);
    started.push(execution);
    if (environment === 'production') await approve(reviewer, execution);
  }
  return started;
}

/** @throws Error if a run does not succeed */
export async function waitForSuccess(context, runs) {
  for (const { id } of runs) {
    const { successful, planName, webUrl } = await waitForEnd(context, id);
    if (!successful) throw new Error(`The run "${planName}" did not succeed: see ${webUrl}, or start the demo again.`);
  }
}

/** Alternates between both environments. */
const byTurn = ([a], [b]) => turnOf(a) - turnOf(b);
const turnOf = (run) => [STAGING, PRODUCTION].reduce((turn, list) => Math.max(turn, list.indexOf(run)), 0);

/** Plants the fault, then starts the run that fails on one host, a dry run, and a run that waits for approval. */
export async function ensureOpenEnds(context) {
  if (!(await runOf(context, FAILING))) plantFault(context.homes);
  const failing = await ensureRun(context, FAILING, 'staging');
  const dryRun = await ensureRun(context, DRY_RUN, 'staging');
  const waiting = await ensureRun(context, WAITING, 'production');
  await waitForEnd(context, dryRun.id);
  return { failing: await waitForEnd(context, failing.id), waiting };
}

function plantFault(homes) {
  const folder = path.join(homes, FAULTY_HOST, 'shop', 'shared');
  const file = path.join(folder, 'deploy.lock');
  mkdirSync(folder, { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, `${STALE_LOCK}\n`);
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}

/** Returns the newest run with this key; undefined = none. */
async function runOf({ api }, { key }) {
  const { items } = await api.get(`/api/executions?limit=1&label=${LABEL}%3D${key}`);
  return items[0];
}

async function ensureRun(context, run, environment) {
  const { key, plan, ...request } = run;
  const known = await runOf(context, run);
  if (known && (!known.finished || known.successful || run === FAILING)) return known;
  return context.api.post('/api/executions', {
    execution_mode: 'auto',
    onOverlap: 'queue',
    ...request,
    planId: context.plans[plan].id,
    environmentId: context.environments[environment].id,
    labels: { [LABEL]: key },
  });
}

async function approve(reviewer, { id, status, digest }) {
  if (status !== 'PAUSED') return;
  const current = digest ?? (await reviewer.get(`/api/executions/${id}`)).digest;
  await reviewer.post(`/api/executions/${id}/approve`, { digest: current, comment: 'Reviewed.' });
}

/** @throws Error if the run does not end in time */
async function waitForEnd({ api, signal }, id) {
  const deadline = performance.now() + RUN_TIMEOUT_MS;
  for (;;) {
    signal.throwIfAborted();
    const run = await api.get(`/api/executions/${id}?wait=${WAIT_SECONDS}`);
    if (run.finished) return run;
    if (performance.now() > deadline) throw new Error(`The run ${run.planName} did not end: see ${run.webUrl}.`);
  }
}
