import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describeSystemError, StartError } from '../common/database/start-error.js';
import { readInstallationState } from '../common/installation/installation-state.js';
import { row, sql } from '../common/database/sql.js';
import type { SessionClient } from '../common/database/session-client.js';
import type { BackupSettings } from '../common/settings/settings.js';
import { rotateBackups, scheduledFileName } from './backup-file.js';
import type { WriteBackup } from './backup-process.js';
import { readBackupAge, recordBackup } from './backup-record.js';
import { withOwnerSession } from './owner-session.js';

const SCHEDULE_LOCK_ID = 7_266_926;
const FIRST_LOOK_MS = 5_000;
const LOOK_INTERVAL_MS = 60_000;
/** Delay after a failed backup, in seconds. */
const RETRY_SECONDS = 15 * 60;
const SECONDS_PER_HOUR = 3_600;

/**
 * Makes backups in the folder of the settings. Several processes may run it: the database decides which one makes the
 * next backup.
 */
export class ScheduledBackups {
  private readonly abort = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> = Promise.resolve();

  /** @param url connection URL of the owner */
  constructor(
    private readonly url: string,
    private readonly settings: BackupSettings,
    private readonly write: WriteBackup,
    private readonly say: (line: string) => void,
  ) {}

  start(): void {
    this.schedule(FIRST_LOOK_MS);
  }

  async stop(): Promise<void> {
    this.abort.abort();
    if (this.timer) clearTimeout(this.timer);
    await this.looking;
  }

  private schedule(delayMs: number): void {
    if (this.abort.signal.aborted) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        .catch((error: unknown) => this.say(`Scheduled backups: ${describeSystemError(error)}`))
        .finally(() => this.schedule(LOOK_INTERVAL_MS));
    }, delayMs);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    await this.backUpIfDue();
  }

  /** @returns whether this process made a backup, or tried to */
  backUpIfDue(): Promise<boolean> {
    return withOwnerSession(this.url, async (client) => {
      const lock = await row(client, sql<{ held: boolean }>`select pg_try_advisory_lock(${SCHEDULE_LOCK_ID}) as held`);
      if (!lock?.held || !(await this.isDue(client))) return false;
      await this.backUp(client);
      return true;
    });
  }

  private async isDue(client: SessionClient): Promise<boolean> {
    const { seconds, failedSeconds } = await readBackupAge(client, true);
    if (failedSeconds !== null && failedSeconds < RETRY_SECONDS) return false;
    return seconds === null || seconds >= this.settings.everyHours * SECONDS_PER_HOUR;
  }

  private async backUp(client: SessionClient): Promise<void> {
    const { folder, keep } = this.settings;
    const startedAt = new Date();
    const state = await readInstallationState(client);
    if (!state) return;
    const name = scheduledFileName(state.identity, startedAt);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Before the backup, to remove what killed backups left; afterwards, to keep the number of backups.
      await rotateBackups(folder, state.identity, keep);
      const bytes = await this.write(join(folder, name), this.abort.signal);
      await recordBackup(client, { scheduled: true, startedAt, file: name, bytes, error: null });
      await rotateBackups(folder, state.identity, keep);
      this.say(`Backup ${name}: ${bytes} bytes in ${Math.round((Date.now() - startedAt.getTime()) / 1000)} s.`);
    } catch (error) {
      await rotateBackups(folder, state.identity, keep).catch(() => undefined);
      if (this.abort.signal.aborted) return;
      const reason = error instanceof StartError ? error.message : describeSystemError(error);
      await recordBackup(client, { scheduled: true, startedAt, file: name, bytes: null, error: reason });
      this.say(`The backup to ${folder} failed; the next attempt is in ${RETRY_SECONDS / 60} minutes. ${reason}`);
    }
  }
}
