import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { APP_ROLE, CONNECT_TIMEOUT_MS, readLoginName, OWNER_SESSION_SETTINGS } from '../common/database/connection.js';
import type { EmbeddedPostgres } from '../common/database/embedded/embedded-server.js';
import { keepPostgresRunning, type KeepRunningOptions } from '../common/database/embedded/keep-running.js';
import { startEmbeddedPostgres } from '../common/database/embedded/embedded-postgres.js';
import { migrateDatabase } from '../common/database/boot/migrate.js';
import { connectToDatabase, removePassword } from '../common/database/boot/reach-database.js';
import { bindInstallation } from '../common/installation/bind-installation.js';
import type { InstallationBinding } from '../common/installation/binding.js';
import { type IdentityClaim, claimIdentity } from '../common/installation/identity-socket.js';
import { describeState } from '../common/installation/installation-state.js';
import { readBinding } from '../common/installation/read-binding.js';
import { SessionClient } from '../common/database/session-client.js';
import { StartError } from '../common/database/start-error.js';
import type { Runtime } from '../common/settings/runtime.js';
import { loadMasterKey } from '../common/settings/master-key-file.js';
import type { Settings } from '../common/settings/settings.js';
import { checkStoredSecrets } from './check-stored-secrets.js';

export interface PreparedRuntime {
  runtime: Runtime;
  /** Connection URL of the database owner. */
  ownerUrl: string;
  /** Stops the embedded database. Has no effect on an external database. */
  releaseRuntime(): Promise<void>;
  /** Returns the location of the database, for commands that bind the installation to it. */
  binding(): Promise<InstallationBinding>;
  /** Restarts the embedded database if it ends unexpectedly. Has no effect on an external database. */
  keepDatabaseRunning(options: KeepRunningOptions): void;
}

export interface PrepareOptions {
  log: (line: string) => void;
  /** True: uses the embedded database of a running Runward, for administration. */
  share?: boolean;
  /** True: a parent process has already migrated the database. */
  migrated?: boolean;
  databaseFolder?: string;
}

interface DatabaseAccess extends Pick<Runtime, 'databaseUrl' | 'databaseLogin'> {
  ownerUrl: string;
}

/**
 * Prepares what every process needs: master key, reachable database, current schema.
 * @throws StartError or SettingsError with one readable line per fault
 */
export async function prepareRuntime(settings: Settings, options: PrepareOptions): Promise<PreparedRuntime> {
  const embedded =
    settings.databaseUrl === undefined
      ? await startEmbeddedPostgres({ dataDir: settings.dataDir, log: options.log, share: options.share })
      : null;
  let identityClaim: IdentityClaim | null = null;
  try {
    const { masterKey, warning } = await loadMasterKey(settings);
    if (warning && !options.migrated) options.log(warning);
    const access = openDatabaseAccess(settings, embedded);
    const { databaseLogin } = access;
    const reach = async (url: string, setting: string) => (embedded ? url : connectToDatabase(url, setting));
    const ownerUrl = await reach(access.ownerUrl, 'DATABASE_URL');
    if (!options.migrated) {
      const appLogin = databaseLogin === 'own' && !embedded ? readLoginName(access.databaseUrl) : null;
      await migrateAsOwner(ownerUrl, masterKey.id, appLogin, options.log);
      await checkStoredSecrets(ownerUrl, masterKey);
      if (databaseLogin === 'owner' && !options.share) options.log(ownerLoginWarning(access.databaseUrl));
      // Only services determine the location of the database: an administration command may run on any machine.
      if (!options.share) identityClaim = await bindInstallationToDatabase(ownerUrl, settings, options.log);
    }
    const databaseUrl =
      access.databaseUrl === access.ownerUrl ? ownerUrl : await reach(access.databaseUrl, 'RUNWARD_DATABASE_APP_URL');
    const processName = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
    return {
      runtime: {
        ...{ settings, databaseUrl, databaseLogin, masterKey, processName },
        databaseFolder: embedded ? dirname(embedded.logFile) : options.databaseFolder,
      },
      ownerUrl,
      releaseRuntime: async () => {
        identityClaim?.close();
        await embedded?.stop();
      },
      binding: () =>
        withOwnerConnection(ownerUrl, (client) =>
          readBinding({ executor: client, ...toInstallationBindingSource(settings) }),
        ),
      keepDatabaseRunning: (more) => {
        if (embedded) void keepPostgresRunning(embedded, more);
      },
    };
  } catch (error) {
    identityClaim?.close();
    await embedded?.stop();
    throw error;
  }
}

const toInstallationBindingSource = ({ databaseUrl, installationName: name }: Settings) => ({ databaseUrl, name });

/**
 * Holds the installation if its database may be a copy.
 * @returns socket on which this process answers for the installation's identity; null: external database, or another
 *   process answers
 */
async function bindInstallationToDatabase(
  ownerUrl: string,
  settings: Settings,
  log: (line: string) => void,
): Promise<IdentityClaim | null> {
  let identityClaim: IdentityClaim | null = null;
  const claimIdentityOnce = async (identity: string): Promise<boolean> => {
    // Processes that use the same external database are one installation, even on one machine.
    if (settings.databaseUrl !== undefined) return false;
    identityClaim = await claimIdentity(identity);
    return identityClaim === null;
  };
  const binding = await withOwnerConnection(ownerUrl, async (client) => {
    await client.query('begin');
    const found = await bindInstallation(
      client,
      await readBinding({ executor: client, ...toInstallationBindingSource(settings) }),
      claimIdentityOnce,
    );
    await client.query('commit');
    return found;
  });
  for (const line of binding ? [describeState(binding.state), binding.note] : []) if (line) log(line);
  return identityClaim;
}

async function withOwnerConnection<T>(url: string, work: (client: SessionClient) => Promise<T>): Promise<T> {
  const client = new SessionClient({
    connectionString: url,
    session: OWNER_SESSION_SETTINGS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function openDatabaseAccess(settings: Settings, embedded: EmbeddedPostgres | null): DatabaseAccess {
  if (embedded) return { ownerUrl: embedded.url, databaseUrl: embedded.appUrl, databaseLogin: 'own' };
  const ownerUrl = settings.databaseUrl ?? '';
  const { databaseAppUrl } = settings;
  return databaseAppUrl === undefined
    ? { ownerUrl, databaseUrl: ownerUrl, databaseLogin: 'owner' }
    : { ownerUrl, databaseUrl: databaseAppUrl, databaseLogin: 'own' };
}

const ownerLoginWarning = (url: string): string =>
  `The application signs in to the database as its owner, ${readLoginName(url) ?? 'unknown'}, and takes the role ${APP_ROLE}. An SQL injection could leave that role. Set RUNWARD_DATABASE_APP_URL to a separate login (docs/operations.md).`;

async function migrateAsOwner(
  url: string,
  masterKeyId: string,
  appLogin: string | null,
  log: (line: string) => void,
): Promise<void> {
  try {
    await migrateDatabase(url, masterKeyId, appLogin, log);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code } = error as { code?: string };
    if (code === '42501') {
      throw new StartError(
        `The database user of ${removePassword(url)} lacks rights that Runward needs (${(error as Error).message}). It must own the database and be allowed to create roles. Otherwise an administrator creates the role runward_app and grants it.`,
      );
    }
    if (code === '55P03') {
      throw new StartError(
        `The schema upgrade timed out: another session of ${removePassword(url)} holds a lock. End that session, then start Runward again.`,
      );
    }
    throw error;
  }
}
