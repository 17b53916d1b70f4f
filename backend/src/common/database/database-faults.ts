import { Logger } from '@nestjs/common';
import { type DatabaseCause, databaseCause, inOneLine } from './database-cause.js';

/** The same cause is logged no more often, in ms. */
const LOG_EVERY_MS = 60_000;
/** A cause that keeps writes from the database counts for this long after the last failure, in ms, unless a write succeeds. */
const COUNTS_MS = 30_000;
const HITS_WRITES: ReadonlySet<DatabaseCause> = new Set(['database_full', 'database_read_only']);

/** Causes for which the database could not be used by this process. */
export class DatabaseFaults {
  private readonly log = new Logger('Database');
  private readonly logged = new Map<DatabaseCause, number>();
  private write: { cause: DatabaseCause; at: number } | null = null;

  /** @param clock in ms, never set back */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  /** Notes an error of a connection or statement; others than those of the database itself are ignored. */
  note(error: unknown): void {
    const cause = databaseCause(error);
    if (cause === null || cause === 'database_conflict') return;
    const now = this.clock();
    if (HITS_WRITES.has(cause)) this.write = { cause, at: now };
    if (now - (this.logged.get(cause) ?? -LOG_EVERY_MS) < LOG_EVERY_MS) return;
    this.logged.set(cause, now);
    this.log.warn(inOneLine(cause, error));
  }

  /** Notes that a change was committed. */
  noteWrite(): void {
    this.write = null;
  }

  /** Why writes failed lately; null: none did, or one succeeded since. */
  get writeCause(): DatabaseCause | null {
    return this.write && this.clock() - this.write.at < COUNTS_MS ? this.write.cause : null;
  }
}

/** Of this process. */
export const databaseFaults = new DatabaseFaults();
