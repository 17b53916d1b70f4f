import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { APP_SESSION_SETTINGS } from '../database/connection.js';
import { SessionClient } from '../database/session-client.js';
import { type InstallationState, readInstallationState, describeState } from './installation-state.js';

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
