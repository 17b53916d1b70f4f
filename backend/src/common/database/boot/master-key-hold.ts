import { Logger } from '@nestjs/common';
import type { MasterKey } from '../../crypto/master-key.js';
import { APP_SESSION_SETTINGS } from '../connection.js';
import { SessionClient } from '../session-client.js';
import { row, sql } from '../sql.js';
import { StartError } from '../start-error.js';

/**
 * Arbitrary ID of an advisory lock. Processes that use the master key share it; the process that changes the key holds
 * it exclusively.
 */
export const MASTER_KEY_LOCK_ID = 7_266_924;

const RECONNECT_DELAY_MS = 1_000;
const CONNECTION_TIMEOUT_MS = 5_000;

/**
 * Prevents a change of the master key while this process runs. The process would otherwise keep sealing with the old
 * key.
 */
export class MasterKeyLockHolder {
  private readonly log = new Logger('MasterKey');
  private client: SessionClient | null = null;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  /** @param onLoss called when the key changed while the connection was down; it must end this process */
  constructor(
    private readonly url: string,
    private readonly masterKey: Pick<MasterKey, 'id'>,
    private readonly onLoss: () => void = () => void process.kill(process.pid, 'SIGTERM'),
  ) {}

  /** @throws StartError when the key is being changed or has been changed */
  async start(): Promise<void> {
    const client = new SessionClient({
      connectionString: this.url,
      application_name: 'runward-key',
      session: APP_SESSION_SETTINGS,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      query_timeout: CONNECTION_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await this.takeLock(client);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    if (this.stopped) return client.end();
    this.client = client;
    client.on('end', () => this.scheduleReconnect());
  }

  async releaseLock(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  private async takeLock(client: SessionClient): Promise<void> {
    const lock = await row(
      client,
      sql<{ held: boolean; id: string }>`select pg_try_advisory_lock_shared(${MASTER_KEY_LOCK_ID}) as held,
        (select master_key_id from installation) as id`,
    );
    if (!lock?.held) throw new StartError('The master key is being changed. Start Runward when the change has ended.');
    if (lock.id !== this.masterKey.id)
      throw new StartError('The master key was changed. Start Runward with the new one.');
  }

  private scheduleReconnect(): void {
    this.client = null;
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.start().catch((error: unknown) => {
        if (!(error instanceof StartError)) return this.scheduleReconnect();
        this.log.error(error.message);
        this.onLoss();
      });
    }, RECONNECT_DELAY_MS);
    this.timer.unref();
  }
}
