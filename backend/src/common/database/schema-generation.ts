import { type Executor, row, sql } from './sql.js';
import { StartError } from './start-error.js';

/**
 * Schema generation of this code. Raise it by one with each migration that older code must not read, and call
 * `closeToOlderCode` there. Code of generation 0 does not set `app.generation`, and runs scripts without the options of
 * their first line.
 */
export const SCHEMA_GENERATION = 7;

/** Session setting with the generation of the client's code. Code of generation 0 does not set it. */
export const GENERATION_SETTING = 'app.generation';

/** Name of the violated constraint when the database rejects older code. */
export const CURRENT_CODE_SETTING = 'current_code';

/** @throws StartError when a newer version has excluded this code from the database */
export async function requireCurrentCode(executor: Executor): Promise<void> {
  const table = await row(
    executor,
    sql<{ exists: boolean }>`select to_regclass('public.schema_generation') is not null as exists`,
  );
  if (!table?.exists) return;
  const code = await row(executor, sql<{ oldest: number }>`select oldest_code as oldest from schema_generation`);
  if (code && code.oldest > SCHEMA_GENERATION) throw new StartError(tooOldMessage(code.oldest));
}

const tooOldMessage = (oldest: number): string =>
  `A newer Runward has upgraded this database. It needs schema generation ${oldest} or newer (this is ${SCHEMA_GENERATION}). Start the newer version, or restore a backup from before the upgrade.`;
