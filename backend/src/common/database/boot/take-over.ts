import type { DataSource } from 'typeorm';
import { Baseline20261127211500 } from '../migrations/20261127211500-baseline.js';
import { affected, row, rows, sql } from '../sql.js';
import { StartError } from '../start-error.js';

/** Last migration before the baseline. A database that has it has the schema of the baseline. */
export const LAST_EARLIER_MIGRATION = 'LoginTimeouts20261229040000';
/** Last commit with the earlier migrations. */
const LAST_EARLIER_COMMIT = 'f3777b8a';

const BASELINE_MIGRATION = new Baseline20261127211500().name;
/** Time in the name of the baseline, which TypeORM stores with each migration. */
const BASELINE_TIMESTAMP = Number(/\d+$/.exec(BASELINE_MIGRATION)?.[0]);

/**
 * Marks the baseline as applied in a database of the last commit before it. Does nothing in a new database and in one
 * with the baseline.
 * @throws StartError for an older database, which this code cannot migrate
 */
export async function takeOverEarlierDatabase(owner: DataSource): Promise<void> {
  const table = await row(
    owner,
    sql<{ exists: boolean }>`select to_regclass('public.runward_migrations') is not null as exists`,
  );
  if (!table?.exists) return;
  const migrations = await rows(owner, sql<{ name: string }>`select name from runward_migrations`);
  const names = new Set(migrations.map(({ name }) => name));
  if (names.size === 0 || names.has(BASELINE_MIGRATION)) return;
  if (!names.has(LAST_EARLIER_MIGRATION))
    throw new StartError(
      `This database was last used by an older Runward. Start Runward of commit ${LAST_EARLIER_COMMIT} with it once, which upgrades it; then start this version.`,
    );
  await owner.transaction(async (tx) => {
    await affected(tx, sql`delete from runward_migrations`);
    await affected(
      tx,
      sql`insert into runward_migrations (timestamp, name) values (${BASELINE_TIMESTAMP}, ${BASELINE_MIGRATION})`,
    );
  });
}
