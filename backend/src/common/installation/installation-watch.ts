import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import { APP_SESSION_SETTINGS } from '../database/connection.js';
import { SessionClient } from '../database/session-client.js';
import { type InstallationState, readInstallation, stateText } from './installation-state.js';

const READ_MS = 1_000;
const TIMEOUT_MS = 5_000;

const BEFORE_FIRST_START: InstallationState = {
  identity: '00000000-0000-0000-0000-000000000000',
  incarnation: 1,
  state: 'active',
  cause: null,
  reason: null,
  since: new Date(0),
};

type Listener = (state: InstallationState) => void;

/**
 * Reads the state of the installation every second on a separate connection. Keeps the last state while the database is
 * unavailable.
 */
export class InstallationWatch {
  private readonly log = new Logger('Installation');
  private readonly listeners = new Set<Listener>();
  private client: Client | null = null;
  private timer: NodeJS.Timeout | null = null;
  private reading: Promise<void> = Promise.resolve();
  private stopped = false;
  private latest = BEFORE_FIRST_START;

  constructor(private readonly url: string) {}

  get current(): InstallationState {
    return this.latest;
  }

  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @throws Error if the state cannot be read */
  async start(): Promise<void> {
    await this.read();
    this.readLater();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.reading;
    await this.drop();
  }

  private readLater(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.reading = this.read()
        .catch(() => this.drop())
        .finally(() => this.readLater());
    }, READ_MS);
    this.timer.unref();
  }

  private async read(): Promise<void> {
    const client = (this.client ??= await this.connect());
    const state = await readInstallation(client);
    if (!state) return;
    const before = this.latest;
    this.latest = state;
    if (keyOf(before) === keyOf(state)) return;
    if (before.state !== state.state) this.log.log(stateText(state) || 'This installation is active.');
    for (const listener of this.listeners) listener(state);
  }

  private async connect(): Promise<Client> {
    const client = new SessionClient({
      connectionString: this.url,
      application_name: 'runward-installation',
      session: APP_SESSION_SETTINGS,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  private async drop(): Promise<void> {
    const client = this.client;
    this.client = null;
    await client?.end().catch(() => undefined);
  }
}

const keyOf = ({ identity, incarnation, state, cause, reason }: InstallationState): string =>
  JSON.stringify([identity, incarnation, state, cause, reason]);
