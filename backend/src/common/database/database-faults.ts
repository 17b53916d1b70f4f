import { Logger } from '@nestjs/common';
import { type DatabaseErrorCause, findDatabaseErrorCause, toOneLineMessage } from './database-cause.js';

const LOG_INTERVAL_MS = 60_000;
/** Period after the last failure in which writes count as failing, in ms. A successful write ends it early. */
const FAULT_LIFETIME_MS = 30_000;
const WRITE_ERROR_CAUSES: ReadonlySet<DatabaseErrorCause> = new Set(['database_full', 'database_read_only']);

export class DatabaseFaults {
  private readonly log = new Logger('Database');
  private readonly logged = new Map<DatabaseErrorCause, number>();
  private write: { cause: DatabaseErrorCause; at: number } | null = null;

  /** @param clock monotonic clock, in ms */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** Records an error if it makes the database unusable; ignores other errors. */
  recordError(error: unknown): void {
    const cause = findDatabaseErrorCause(error);
    if (cause === null || cause === 'database_conflict') return;
    const now = this.clock();
    if (WRITE_ERROR_CAUSES.has(cause)) this.write = { cause, at: now };
    if (now - (this.logged.get(cause) ?? -LOG_INTERVAL_MS) < LOG_INTERVAL_MS) return;
    this.logged.set(cause, now);
    this.log.warn(toOneLineMessage(cause, error));
  }

  recordSuccessfulWrite(): void {
    this.write = null;
  }

  /** Cause of recent failed writes; null = no failure, or a later write succeeded. */
  get writeCause(): DatabaseErrorCause | null {
    return this.write && this.clock() - this.write.at < FAULT_LIFETIME_MS ? this.write.cause : null;
  }
}

export const databaseFaults = new DatabaseFaults();
