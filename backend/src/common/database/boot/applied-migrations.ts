import { type Executor, row, rows, sql } from '../sql.js';
import { StartError } from '../start-error.js';

/**
 * Names of the migrations in the database, in order.
 * @param owner connection of the owner; the application may not read the table
 * @throws StartError when Runward has never started on this database
 */
export async function listAppliedMigrations(owner: Executor): Promise<string[]> {
  const table = await row(
    owner,
    sql<{ exists: boolean }>`select to_regclass('public.runward_migrations') is not null as exists`,
  );
  if (!table?.exists) throw new StartError('The database has no schema: Runward has never started on it.');
  const applied = await rows(owner, sql<{ name: string }>`select name from runward_migrations order by id`);
  return applied.map(({ name }) => name);
}
