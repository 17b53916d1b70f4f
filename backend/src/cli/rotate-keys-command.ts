import { readLoginName } from '../common/database/connection.js';
import { startEmbeddedPostgres } from '../common/database/embedded/embedded-postgres.js';
import { migrateDatabase } from '../common/database/boot/migrate.js';
import { StartError } from '../common/database/start-error.js';
import { loadMasterKeyChange } from '../common/settings/master-key-change.js';
import type { Settings } from '../common/settings/settings.js';
import { rotateMasterKey } from './rotate-master-key.js';

/**
 * Prepares keys and database, changes the master key, and prints the next steps.
 * @throws StartError or SettingsError
 */
export async function rotateKeys(settings: Settings, say: (line: string) => void): Promise<void> {
  const embedded =
    settings.databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir: settings.dataDir, log: say }) : null;
  try {
    const url = settings.databaseUrl ?? embedded?.url ?? '';
    const change = await loadMasterKeyChange(settings);
    if (change.old.id === change.new.id)
      throw new StartError('The new master key is the same as the current one. Generate another one.');
    await migrateDatabase(url, null, settings.databaseAppUrl ? readLoginName(settings.databaseAppUrl) : null);
    const counts = await rotateMasterKey(url, change);
    await change.finish();
    if (counts === null) say('All secrets already used the new master key.');
    else for (const [table, count] of counts) say(`${table}: ${count} values now use the new master key.`);
    say(change.advice);
  } finally {
    await embedded?.stop();
  }
}
