import { type Executor, row, sql } from '../../common/database/sql.js';

/** Returns the end of the latest complete backup; null = there is none. */
export async function readLatestBackupTime(executor: Executor): Promise<Date | null> {
  const found = await row(
    executor,
    sql<{ at: Date | null }>`select max(ended_at) as at from backups where error is null`,
  );
  return found?.at ?? null;
}
