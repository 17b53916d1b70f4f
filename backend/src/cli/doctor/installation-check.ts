import type { Client } from 'pg';
import type { Settings } from '../../common/settings/settings.js';

export type CheckStatus = 'ok' | 'warning' | 'failed';

export interface CheckResult {
  status: CheckStatus;
  /** What was found, in one line and without secrets. */
  text: string;
  /** What the operator should do; null if nothing. */
  advice: string | null;
}

export interface CheckContext {
  settings: Settings;
  /** Connection as the application's role; null while the database is unavailable. */
  database: Client | null;
  /** Names of the migrations in the database, which only its owner can read. */
  appliedMigrations: readonly string[];
  /** Why the database is unavailable. */
  databaseFault: string | null;
}

/** One entry of `doctor`. To add a check, add it to `INSTALLATION_CHECKS`. */
export interface InstallationCheck {
  /** Stable identifier in JSON output. */
  id: string;
  title: string;
  run: (context: CheckContext) => Promise<CheckResult>;
}

/** A check that needs the database. It fails with a reference to the check `database` without one. */
export const databaseCheck = (
  id: string,
  title: string,
  run: (database: Client, context: CheckContext) => Promise<CheckResult>,
): InstallationCheck => ({
  id,
  title,
  run: async (context) =>
    context.database
      ? run(context.database, context)
      : failed('Not checked: the database is unavailable.', 'Correct the check "database" first.'),
});

export const ok = (text: string): CheckResult => ({ status: 'ok', text, advice: null });
export const warning = (text: string, advice: string): CheckResult => ({ status: 'warning', text, advice });
export const failed = (text: string, advice: string): CheckResult => ({ status: 'failed', text, advice });
