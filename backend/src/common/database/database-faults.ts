import { Logger } from '@nestjs/common';
import { type DatabaseCause, databaseCause, inOneLine } from './database-cause.js';

const LOG_EVERY_MS = 60_000;
/** Period after the last failure in which writes count as failing, in ms. A successful write ends it early. */
const FAULT_LIFETIME_MS = 30_000;
const WRITE_CAUSES: ReadonlySet<DatabaseCause> = new Set(['database_full', 'database_read_only']);

export class DatabaseFaults {
  private readonly log = new Logger('Database');
  private readonly logged = new Map<DatabaseCause, number>();
  private write: { cause: DatabaseCause; at: number } | null = null;

  /** @param clock monotonic clock, in ms */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** Records an error if it makes the database unusable; ignores other errors. */
  note(error: unknown): void {
    const cause = databaseCause(error);
    if (cause === null || cause === 'database_conflict') return;
    const now = this.clock();
    if (WRITE_CAUSES.has(cause)) this.write = { cause, at: now };
    if (now - (this.logged.get(cause) ?? -LOG_EVERY_MS) < LOG_EVERY_MS) return;
    this.logged.set(cause, now);
    this.log.warn(inOneLine(cause, error));
  }

  noteWrite(): void {
    this.write = null;
  }

  /** Cause of recent failed writes; null = no failure, or a later write succeeded. */
  get writeCause(): DatabaseCause | null {
    return this.write && this.clock() - this.write.at < FAULT_LIFETIME_MS ? this.write.cause : null;
  }
}

export const databaseFaults = new DatabaseFaults();
