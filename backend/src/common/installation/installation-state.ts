import { ADMIN_COMMAND } from '../admin-command.js';
import type { EntityManager } from 'typeorm';
import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { affected, type Executor, row, sql } from '../database/sql.js';
import { WORKER_GONE_AFTER_SECONDS } from '../queue/worker-heartbeat.js';
import type { InstallationBinding } from './binding.js';
import { Problem } from '../errors/problem.js';
import { APP_SESSION_SETTINGS } from '../database/connection.js';
import { SessionClient } from '../database/session-client.js';

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

const RESUME_COMMAND = `${ADMIN_COMMAND} resume`;

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

const RETRY_AFTER_SECONDS = '60';

export const createStoppedProblem = (state: Pick<InstallationState, 'state' | 'cause' | 'reason'>): Problem =>
  new Problem(state.state === 'draining' ? 'installation_draining' : 'installation_held', describeState(state), {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });

export async function readStoppedProblem(tx: EntityManager): Promise<Problem> {
  const state = await readInstallationState(tx);
  return createStoppedProblem(state ?? { state: 'held', cause: 'person', reason: null });
}

const READ_INTERVAL_MS = 1_000;
const CONNECTION_TIMEOUT_MS = 5_000;

const STATE_BEFORE_FIRST_START: InstallationState = {
  identity: '00000000-0000-0000-0000-000000000000',
  incarnation: 1,
  state: 'active',
  cause: null,
  reason: null,
  since: new Date(0),
};

type StateListener = (state: InstallationState) => void;

/**
 * Reads the state of the installation every second on a separate connection. Keeps the last state while the database is
 * unavailable.
 */
export class InstallationWatch {
  private readonly log = new Logger('Installation');
  private readonly listeners = new Set<StateListener>();
  private client: Client | null = null;
  private timer: NodeJS.Timeout | null = null;
  private reading: Promise<void> = Promise.resolve();
  private stopped = false;
  private latest = STATE_BEFORE_FIRST_START;

  constructor(private readonly url: string) {}

  get current(): InstallationState {
    return this.latest;
  }

  onChange(listener: StateListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @throws Error if the state cannot be read */
  async start(): Promise<void> {
    await this.readState();
    this.scheduleRead();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.reading;
    await this.dropConnection();
  }

  private scheduleRead(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.reading = this.readState()
        .catch(() => this.dropConnection())
        .finally(() => this.scheduleRead());
    }, READ_INTERVAL_MS);
    this.timer.unref();
  }

  private async readState(): Promise<void> {
    const client = (this.client ??= await this.connect());
    const state = await readInstallationState(client);
    if (!state) return;
    const before = this.latest;
    this.latest = state;
    if (toStateKey(before) === toStateKey(state)) return;
    if (before.state !== state.state) this.log.log(describeState(state) || 'This installation is active.');
    for (const listener of this.listeners) listener(state);
  }

  private async connect(): Promise<Client> {
    const client = new SessionClient({
      connectionString: this.url,
      application_name: 'runward-installation',
      session: APP_SESSION_SETTINGS,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      query_timeout: CONNECTION_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  private async dropConnection(): Promise<void> {
    const client = this.client;
    this.client = null;
    await client?.end().catch(() => undefined);
  }
}

const toStateKey = ({ identity, incarnation, state, cause, reason }: InstallationState): string =>
  JSON.stringify([identity, incarnation, state, cause, reason]);
