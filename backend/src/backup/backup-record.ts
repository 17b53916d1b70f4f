import { row, rows, affected, type Executor, sql } from '../common/database/sql.js';
import { newId } from '../common/ids.js';

const KEPT_RECORDS = 200;
const MAX_ERROR_CHARACTERS = 500;

export interface BackupRecord {
  scheduled: boolean;
  startedAt: Date;
  endedAt: Date;
  /** Name without its folder; null = written to standard output. */
  file: string | null;
  /** Null = failed. */
  bytes: number | null;
  error: string | null;
}

export async function recordBackup(executor: Executor, record: Omit<BackupRecord, 'endedAt'>): Promise<void> {
  const error = record.error?.slice(0, MAX_ERROR_CHARACTERS) ?? null;
  await affected(
    executor,
    sql`insert into backups (id, scheduled, started_at, file, bytes, error)
      values (${newId()}, ${record.scheduled}, ${record.startedAt}, ${record.file}, ${record.bytes}, ${error})`,
  );
  await affected(
    executor,
    sql`delete from backups where id not in (select id from backups order by ended_at desc limit ${KEPT_RECORDS})`,
  );
}

/** Newest first. */
export const listBackups = (executor: Executor, limit: number): Promise<BackupRecord[]> =>
  rows(
    executor,
    sql<BackupRecord>`select scheduled, started_at as "startedAt", ended_at as "endedAt", file, bytes::float8 as bytes, error
      from backups order by ended_at desc limit ${limit}`,
  );

/** Returns the end of the latest complete backup; null = there is none. */
export async function readLatestBackupTime(executor: Executor): Promise<Date | null> {
  const found = await row(
    executor,
    sql<{ at: Date | null }>`select max(ended_at) as at from backups where error is null`,
  );
  return found?.at ?? null;
}

export interface BackupAge {
  /** Since the end of the newest backup; null = none. */
  seconds: number | null;
  /** Since the end of the newest scheduled attempt that failed after it; null = none. */
  failedSeconds: number | null;
}

/** @param scheduledOnly ignores backups of the command */
export async function readBackupAge(executor: Executor, scheduledOnly: boolean): Promise<BackupAge> {
  const age = await row(
    executor,
    sql<BackupAge>`
      with counted as (select * from backups where scheduled or not ${scheduledOnly}),
        done as (select max(ended_at) as at from counted where error is null)
      select extract(epoch from now() - done.at)::float8 as seconds,
        (select extract(epoch from now() - max(f.ended_at))::float8 from counted f
          where f.error is not null and (done.at is null or f.ended_at > done.at)) as "failedSeconds"
        from done`,
  );
  return age ?? { seconds: null, failedSeconds: null };
}
