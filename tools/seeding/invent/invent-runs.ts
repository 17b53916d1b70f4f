import { randomUUID } from 'node:crypto';
import { readRunContent } from '../../../backend/src/executions/record/run-content.js';
import { matchesSelector, parseSelector } from '../../../backend/src/inventory/selectors/selector.js';
import { computeDigest, type FrozenHost } from '../../../backend/src/executions/record/snapshot.js';
import type { Snapshot } from '../../../backend/src/executions/record/execution-row.js';
import type { ExecutionMode } from '../../../backend/src/executions/lifecycle/statuses.js';
import type { Chance } from './chance.js';
import { createIdAt } from './id-at.js';
import { type Landscape, revisionAt, type SeedEnvironment, type SeedPlan, type SeedServer } from './landscape.js';
import type { Start, RunCourse } from './run-course.js';
import { type Answer, simulateRun, type RunFate } from './simulate-run.js';

/** Stored run: a simulated history, a start time and a time factor. */
export interface SeedRun {
  id: string;
  /** Index in `courses` of the batch. */
  course: number;
  at: Date;
  pace: number;
  requestId: string;
}

export interface RunBatch {
  courses: RunCourse[];
  /** In the order of `at`. */
  runs: SeedRun[];
}

export interface Window {
  from: Date;
  to: Date;
}

/** Relative frequencies of outcomes in a healthy fleet. */
const FATE_WEIGHTS: readonly { turn: RunFate; weight: number }[] = [
  { turn: 'well', weight: 88 },
  { turn: 'host_in_trouble', weight: 9 },
  { turn: 'cancelled', weight: 2.4 },
  { turn: 'out_of_time', weight: 0.6 },
];
const ANSWERS: readonly { answer: Answer; weight: number }[] = [
  { answer: 'approved', weight: 960 },
  { answer: 'rejected', weight: 22 },
  { answer: 'cancelled', weight: 12 },
  { answer: 'left', weight: 6 },
];
const MODES: readonly { mode: ExecutionMode; weight: number }[] = [
  { mode: 'auto', weight: 86 },
  { mode: 'semi_assisted', weight: 8 },
  { mode: 'dry_run', weight: 6 },
];
const NOTES = ['Weekly', 'After the release', 'As agreed with the team', 'Ticket 4711', 'Disk is nearly full'];
const NOTE_SHARE = 0.2;

/** Average number of a batch's runs that share one simulated history. */
const RUNS_PER_COURSE = 10;
/**
 * Average number of hosts per run that come from runs on all servers of an environment. Such runs are rarer in larger
 * environments.
 */
const WIDE_HOSTS_SHARE = 0.1;
const MAX_PACE = 1.4;
const MIN_PACE = 0.7;
const DAY_MS = 86_400_000;

export function inventRuns(landscape: Landscape, window: Window, count: number, chance: Chance): RunBatch {
  const courses: RunCourse[] = [];
  const runs = pickMoments(window, count, chance).map((at): SeedRun => {
    const known = chance.below(courses.length + 1);
    const shared =
      courses.length * RUNS_PER_COURSE > count || !chance.happens(1 / RUNS_PER_COURSE) ? courses[known] : undefined;
    const fits = shared && shared.start.revision === revisionAt(shared.start.plan, at).number;
    const course = fits ? shared : inventCourse(landscape, at, chance);
    if (!fits) courses.push(course);
    const pace = course.exact ? 1 : chance.between(MIN_PACE, MAX_PACE);
    // The run must end within the period, because the audit trail is written in chronological order.
    const begun = new Date(Math.min(at.getTime(), Math.floor(window.to.getTime() - course.endMs * pace)));
    return { id: createIdAt(begun), course: courses.indexOf(course), at: begun, pace, requestId: randomUUID() };
  });
  return { courses, runs: runs.sort((a, b) => a.at.getTime() - b.at.getTime()) };
}

/** Returns random times, fewer of them at night and at weekends. */
function pickMoments({ from, to }: Window, count: number, chance: Chance): Date[] {
  const moment = (): Date => {
    for (;;) {
      const at = new Date(Math.round(chance.between(from.getTime(), to.getTime())));
      const isNight = at.getUTCHours() < 6 || at.getUTCHours() > 19;
      const isWeekend = at.getUTCDay() % 6 === 0;
      const isLongWindow = to.getTime() - from.getTime() > DAY_MS;
      if (!isLongWindow || chance.happens((isNight ? 0.4 : 1) * (isWeekend ? 0.4 : 1))) return at;
    }
  };
  return Array.from({ length: count }, moment).sort((a, b) => a.getTime() - b.getTime());
}

function inventCourse(landscape: Landscape, at: Date, chance: Chance): RunCourse {
  const start = inventStart(landscape, at, chance);
  const { answer } = chance.pickWeighted(ANSWERS);
  return simulateRun(start, pickRunFate(start, chance), { approver: landscape.approver, answer }, chance);
}

function pickRunFate({ mode, snapshot }: Start, chance: Chance): RunFate {
  if (mode === 'dry_run') return 'well';
  const { turn } = chance.pickWeighted(FATE_WEIGHTS);
  if (turn === 'out_of_time' && snapshot.plan.timeoutSeconds === null) return 'well';
  // In other modes a failure would pause the run for a decision, which is not simulated.
  return turn === 'host_in_trouble' && mode !== 'auto' ? 'well' : turn;
}

function inventStart(landscape: Landscape, at: Date, chance: Chance): Start {
  const environment = chance.pick(landscape.environments);
  const { plan, servers, targets } = inventTargets(landscape, environment, chance);
  const revision = revisionAt(plan, at);
  const release = `${at.getUTCFullYear()}.${1 + Math.floor(at.getUTCDate() / 8)}.${at.getUTCMonth() + 1}`;
  const named = revision.content.variables.map(({ name }) => [name, release]);
  const snapshot: Snapshot = {
    plan: readRunContent(revision.content),
    variables: Object.fromEntries(named) as Record<string, string>,
    secretNames: [],
    secretVersions: {},
    sshKeys: { [landscape.key.id]: landscape.key.fingerprint },
    targets,
    given: revision.content.variables.map(({ name }) => name),
    valueSources: Object.fromEntries(revision.content.variables.map(({ name }) => [name, 'start' as const])),
  };
  const hosts = servers.map((server, ordinal) => toFrozenHost(server, ordinal, landscape.key.id));
  return {
    plan,
    revision: revision.number,
    environment,
    snapshot,
    digest: computeDigest(snapshot, hosts, environment.id, {}),
    hosts,
    addresses: new Map(servers.map(({ id, address }) => [id, address])),
    mode: chance.pickWeighted(MODES).mode,
    note: chance.happens(NOTE_SHARE) ? chance.pick(NOTES) : null,
    by: chance.pick(landscape.starters),
  };
}

/** Chooses a plan with hosts in the environment, and a selector that narrows its start. */
function inventTargets(
  landscape: Landscape,
  environment: SeedEnvironment,
  chance: Chance,
): { plan: SeedPlan; servers: readonly SeedServer[]; targets: string } {
  const { plan, servers } = chance.pickWeighted(listFittingPlans(landscape, environment));
  const one = chance.pick(servers);
  if (servers.length === 1 || chance.happens(WIDE_HOSTS_SHARE / servers.length)) return { plan, servers, targets: '' };
  const targets = chance.happens(plan.sketch.single) ? `name=${one.name}` : `cell=${one.tags.cell}`;
  return { plan, servers: filterServers(servers, targets), targets };
}

interface FittingPlan {
  plan: SeedPlan;
  weight: number;
  servers: readonly SeedServer[];
}

/** Cached, because an environment may have thousands of servers. */
const fittingPlansCache = new WeakMap<Landscape, Map<SeedEnvironment, FittingPlan[]>>();

function listFittingPlans(landscape: Landscape, environment: SeedEnvironment): FittingPlan[] {
  const known = fittingPlansCache.get(landscape)?.get(environment);
  if (known) return known;
  const all = landscape.plans.map((plan) => {
    const { weight, targets } = plan.sketch;
    return { plan, weight, servers: filterServers(environment.servers, targets) };
  });
  const found = all.filter(({ servers }) => servers.length > 0);
  fittingPlansCache.set(
    landscape,
    (fittingPlansCache.get(landscape) ?? new Map<SeedEnvironment, FittingPlan[]>()).set(environment, found),
  );
  return found;
}

function filterServers(servers: readonly SeedServer[], selector: string): SeedServer[] {
  const parsed = parseSelector(selector);
  return servers.filter((server) => matchesSelector(parsed, server));
}

const toFrozenHost = (server: SeedServer, ordinal: number, keyId: string): FrozenHost => ({
  server_id: server.id,
  ordinal,
  name: server.name,
  hostname: server.hostname,
  port: 22,
  username: server.username,
  ssh_key_id: keyId,
  host_key: server.hostKey,
  more_host_keys: null,
  jump_server_id: null,
  tags: server.tags,
});
