import { prepareRuntime } from '../boot/prepare-runtime.js';
import { type MigrationPlan, readMigrationPlan } from '../common/database/boot/migration-plan.js';
import { connectToDatabase } from '../common/database/boot/reach-database.js';
import { startEmbeddedPostgres } from '../common/database/embedded/embedded-postgres.js';
import { StartError } from '../common/database/start-error.js';
import type { Settings } from '../common/settings/settings.js';

/**
 * Prints the pending migrations, and runs them unless `planOnly`.
 * @throws StartError or SettingsError
 */
export async function migrateInstallation(
  settings: Settings,
  planOnly: boolean,
  say: (line: string) => void,
): Promise<void> {
  const embedded =
    settings.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: settings.dataDir, log: say, share: true })
      : null;
  try {
    const url = embedded?.url ?? (await connectToDatabase(settings.databaseUrl ?? '', 'DATABASE_URL'));
    const plan = await readMigrationPlan(url);
    for (const line of describePlan(plan)) say(line);
    if (planOnly || plan.pending.length === 0) return;
    if (plan.newer.length > 0) throw new StartError('A newer version has migrated this database. Use that version.');
    const prepared = await prepareRuntime(settings, { log: say, share: true });
    await prepared.releaseRuntime();
    say('The database has the schema of this version.');
  } finally {
    await embedded?.stop();
  }
}

function describePlan({ applied, pending, newer, refusesOlderCode }: MigrationPlan): string[] {
  const upgrade =
    pending.length === 0
      ? []
      : [
          ...pending.map((name) => `  ${name}`),
          refusesOlderCode
            ? 'After these migrations, processes of older versions cannot use the database: they refuse to start, and running ones stop their work.'
            : 'Processes of the previous minor version continue while these migrations run, and afterwards.',
        ];
  return [
    `Migrations: ${applied} applied, ${pending.length} pending.`,
    ...upgrade,
    ...newer.map((name) => `Of a newer version: ${name}`),
  ];
}
