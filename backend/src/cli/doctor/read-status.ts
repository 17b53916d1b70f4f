import type { Client } from 'pg';
import { MIGRATIONS } from '../../common/database/migrations/all-migrations.js';
import { row, sql } from '../../common/database/sql.js';
import { type InstallationState, readInstallationState } from '../../common/installation/installation-state.js';
import { PRODUCT_VERSION } from '../../common/product-version.js';
import { isWaitingInSql } from '../../common/queue/job-queue.js';
import { QUEUES } from '../../common/queue/queue-names.js';
import { listLivingWorkers, type LivingWorker } from '../../common/queue/worker-heartbeat.js';
import type { CheckContext } from './installation-check.js';
import { readLatestBackupTime } from '../../backup/backup-record.js';

export interface InstallationStatus {
  version: string;
  /** Name of the newest migration of this version. */
  schema: string;
  /** Null = the database is unavailable; then `fault` has the reason. */
  database: DatabaseStatus | null;
  fault: string | null;
}

interface DatabaseStatus {
  version: string;
  bytes: number;
  /** Null before the first start. */
  installation: Pick<InstallationState, 'identity' | 'incarnation' | 'state' | 'reason' | 'since'> | null;
  workers: LivingWorker[];
  /** Number of runs that wait for a worker, and time of the longest wait in seconds (null = none waits). */
  waitingRuns: number;
  oldestWaitingSeconds: number | null;
  /** Null = no backup was recorded. */
  latestBackup: Date | null;
}

export async function readInstallationStatus({ database, databaseFault }: CheckContext): Promise<InstallationStatus> {
  return {
    version: PRODUCT_VERSION,
    schema: MIGRATIONS.at(-1)?.name ?? '',
    database: database && (await readDatabaseStatus(database)),
    fault: databaseFault,
  };
}

async function readDatabaseStatus(database: Client): Promise<DatabaseStatus> {
  const found = await row(
    database,
    sql<{ version: string; bytes: number; waiting: number; oldest: number | null }>`
      select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
        count(*)::int as waiting, floor(extract(epoch from now() - min(greatest(created_on, start_after))))::int as oldest
      from pgboss.job where ${isWaitingInSql(QUEUES.advanceRun)}`,
  );
  const state = await readInstallationState(database);
  return {
    version: found?.version ?? '',
    bytes: found?.bytes ?? 0,
    installation: state
      ? {
          identity: state.identity,
          incarnation: state.incarnation,
          state: state.state,
          reason: state.reason,
          since: state.since,
        }
      : null,
    workers: await listLivingWorkers(database),
    waitingRuns: found?.waiting ?? 0,
    oldestWaitingSeconds: found?.oldest ?? null,
    latestBackup: await readLatestBackupTime(database),
  };
}
