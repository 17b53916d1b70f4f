import { affected, type Executor, row, sql } from '../database/sql.js';
import { WORKER_GONE_AFTER_SECONDS } from '../queue/worker-heartbeat.js';
import type { InstallationBinding } from './binding.js';

export const INSTALLATION_STATES = ['active', 'draining', 'held'] as const;
/** `draining`: running work continues, nothing new starts. `held`: reading works, nothing runs. */
export type InstallationStateName = (typeof INSTALLATION_STATES)[number];

export interface InstallationState {
  identity: string;
  /** Only increases; hosts refuse lower values. */
  incarnation: number;
  state: InstallationStateName;
  /** `copy`: held automatically, possibly a copy. `person`: stopped by an operator. Null while active. */
  cause: 'copy' | 'person' | null;
  /** Public; null while active. */
  reason: string | null;
  since: Date;
}

export const STATE_COLUMNS = sql`identity, incarnation::float8 as incarnation, state, cause, reason, state_since as since`;

/** Undefined before the first start. */
export async function readInstallationState(executor: Executor): Promise<InstallationState | undefined> {
  return row(executor, sql<InstallationState>`select ${STATE_COLUMNS} from installation`);
}

export async function readBindingAndWorkers(
  executor: Executor,
): Promise<{ bound: InstallationBinding | null; workers: number } | undefined> {
  return row(
    executor,
    sql<{ bound: InstallationBinding | null; workers: number }>`
      select bound_to as bound, (select count(*)::int from worker_heartbeats
          where seen_at > now() - make_interval(secs => ${WORKER_GONE_AFTER_SECONDS})) as workers from installation`,
  );
}

export async function stopInstallation(
  executor: Executor,
  { state, cause, reason }: Pick<InstallationState, 'state' | 'cause' | 'reason'>,
): Promise<void> {
  await affected(
    executor,
    sql`update installation set state = ${state}, cause = ${cause}, reason = ${reason}, state_since = now()`,
  );
}

export async function activateInstallation(executor: Executor): Promise<void> {
  await affected(
    executor,
    sql`update installation set state = 'active', cause = null, reason = null, state_since = now()`,
  );
}

/** Gives a copy a new identity, to separate it from its original. */
export async function renewIdentity(executor: Executor): Promise<void> {
  await affected(executor, sql`update installation set identity = gen_random_uuid(), incarnation = 1`);
}

const RESUME_COMMAND = 'npm run admin -- resume';

export const toResumeAdvice = ({ state, cause }: Pick<InstallationState, 'state' | 'cause'>): string | null => {
  if (state === 'active') return null;
  if (cause === 'person') return `Run \`${RESUME_COMMAND}\` when maintenance is over.`;
  return `If this is the original, or replaces it, run \`${RESUME_COMMAND} --as-original\`. If the original still exists, run \`${RESUME_COMMAND} --as-copy\`.`;
};

/** Text for logs and responses: what the state allows, its reason, and how to end it. Empty while active. */
export function describeState(state: Pick<InstallationState, 'state' | 'cause' | 'reason'>): string {
  if (state.state === 'active') return '';
  const effect =
    state.state === 'held'
      ? 'This installation is held: everything can be read, but nothing starts, runs or is sent.'
      : 'This installation is draining: running runs continue, but nothing new starts.';
  const reason = state.reason?.replace(/(?<![.!?])$/, '.');
  return [effect, reason, toResumeAdvice(state)].filter(Boolean).join(' ');
}

/** Value of the response header `Runward-Installation`; null while active. */
export const toStateHeader = ({ state, cause }: Pick<InstallationState, 'state' | 'cause'>): string | null =>
  state === 'active' ? null : `${state}; cause=${cause ?? 'person'}`;
