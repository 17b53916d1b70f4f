import { Logger } from '@nestjs/common';
import { APP_SESSION_SETTINGS } from './connection.js';
import { SessionClient } from './session-client.js';
import { row, sql } from './sql.js';

/** Channels of PostgreSQL's NOTIFY. Payloads contain IDs, never data. */
export const CHANNELS = {
  /** `executionId`: the run has new events or a new version. */
  executionChanged: 'runward_execution',
  /** `executionId`: the status of the run has changed. */
  executionStatus: 'runward_status',
  /** `executionId`: the run was requested to stop. */
  executionControl: 'runward_control',
  /** `executionId`: a slice of the run has ended. */
  sliceEnded: 'runward_slice',
  /** `tenantId`: its outbox contains events. */
  outbox: 'runward_outbox',
  /** `tenantId/webhookId`: deliveries may be due. */
  webhooks: 'runward_webhooks',
} as const;

const RECONNECT_DELAY_MS = 1_000;
const HEARTBEAT_INTERVAL_MS = 10_000;

type NotificationListener = (payload: string) => void;

/**
 * One LISTEN connection per process. Notifications may be lost while the connection is down. After a reconnect,
 * listeners are called with an empty payload and must read the state themselves.
 */
export class Notifications {
  private readonly log = new Logger('Notifications');
  private readonly listeners = new Map<string, Set<NotificationListener>>();
  private client: SessionClient | null = null;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  constructor(private readonly url: string) {}

  async start(): Promise<void> {
    await this.connect();
  }

  /** Calls `listener` with each payload of the channel. Returns a function that unsubscribes. */
  subscribe(channel: string, listener: NotificationListener): () => void {
    const set = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, set);
    set.add(listener);
    return () => set.delete(listener);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    const client = this.client;
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new SessionClient({
      connectionString: this.url,
      application_name: 'runward-listen',
      session: APP_SESSION_SETTINGS,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload }) => this.notifyListeners(channel, payload ?? ''));
    client.on('error', () => undefined);
    client.on('end', () => this.scheduleReconnect());
    try {
      await client.connect();
      for (const channel of Object.values(CHANNELS)) await client.query(`listen ${channel}`);
    } catch (error) {
      client.removeAllListeners('end');
      await client.end().catch(() => undefined);
      if (!this.stopped) this.log.warn(`Listening for notifications failed: ${String(error)}`);
      this.scheduleReconnect();
      return;
    }
    this.client = client;
    for (const channel of this.listeners.keys()) this.notifyListeners(channel, '');
    this.watchConnection(client);
  }

  /** Sends queries, because only a query detects a dead connection. */
  private watchConnection(client: SessionClient): void {
    this.timer = setTimeout(() => {
      if (this.stopped || this.client !== client) return;
      row(client, sql`select 1`).then(
        () => this.watchConnection(client),
        () => void client.end().catch(() => undefined),
      );
    }, HEARTBEAT_INTERVAL_MS);
    this.timer.unref();
  }

  private scheduleReconnect(): void {
    this.client = null;
    if (this.stopped) return;
    if (this.timer) clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.connect(), RECONNECT_DELAY_MS);
    this.timer.unref();
  }

  private notifyListeners(channel: string, payload: string): void {
    for (const listener of this.listeners.get(channel) ?? []) listener(payload);
  }
}
