import type { Client } from 'pg';

/** Time of the newest successful backup; null = none was recorded. */
export async function readLatestBackupTime(database: Client): Promise<Date | null> {
  // Not an `sql` statement, because an installation without the table `backups` is valid.
  const table = await database.query<{ name: string | null }>(`select to_regclass('public.backups')::text as name`);
  if (!table.rows[0]?.name) return null;
  const latest = await database.query<{ at: Date | null }>(
    'select max(ended_at) as at from backups where error is null',
  );
  return latest.rows[0]?.at ?? null;
}
