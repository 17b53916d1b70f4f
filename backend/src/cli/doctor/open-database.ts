import { connectToDatabase } from '../../common/database/boot/reach-database.js';
import { APP_SESSION_SETTINGS, CONNECT_TIMEOUT_MS, OWNER_SESSION_SETTINGS } from '../../common/database/connection.js';
import { startEmbeddedPostgres } from '../../common/database/embedded/embedded-postgres.js';
import { listAppliedMigrations } from '../../common/database/boot/applied-migrations.js';
import { SessionClient, type SessionSettings } from '../../common/database/session-client.js';
import { describeSystemError, StartError } from '../../common/database/start-error.js';
import type { Settings } from '../../common/settings/settings.js';
import type { CheckContext } from './installation-check.js';

const QUERY_TIMEOUT_MS = 15_000;

/**
 * Calls `work` with a connection to the database. Unlike other commands, this neither migrates the database nor needs
 * the master key, and an unavailable database is a result instead of an error.
 */
export async function withCheckContext<T>(settings: Settings, work: (context: CheckContext) => Promise<T>): Promise<T> {
  const closers: (() => Promise<unknown>)[] = [];
  try {
    let opened: Omit<CheckContext, 'settings'>;
    try {
      opened = { ...(await openDatabase(settings, closers)), databaseFault: null };
    } catch (error) {
      opened = {
        database: null,
        appliedMigrations: [],
        databaseFault: error instanceof StartError ? error.message : `The database: ${describeSystemError(error)}.`,
      };
    }
    return await work({ settings, ...opened });
  } finally {
    for (const close of closers.reverse()) await close().catch(() => undefined);
  }
}

async function openDatabase(settings: Settings, closers: (() => Promise<unknown>)[]) {
  const { databaseUrl, databaseAppUrl, dataDir } = settings;
  let ownerUrl: string;
  let url: string;
  if (databaseUrl === undefined) {
    const embedded = await startEmbeddedPostgres({ dataDir, log: () => undefined, share: true });
    closers.push(() => embedded.stop());
    ownerUrl = embedded.url;
    url = embedded.appUrl;
  } else {
    ownerUrl = await connectToDatabase(databaseUrl, 'DATABASE_URL');
    url = databaseAppUrl ? await connectToDatabase(databaseAppUrl, 'RUNWARD_DATABASE_APP_URL') : ownerUrl;
  }
  const connect = async (connectionString: string, session: SessionSettings): Promise<SessionClient> => {
    const client = new SessionClient({
      connectionString,
      session,
      application_name: 'runward-doctor',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    client.on('error', () => undefined);
    closers.push(() => client.end());
    await client.connect();
    return client;
  };
  return {
    appliedMigrations: await listAppliedMigrations(await connect(ownerUrl, OWNER_SESSION_SETTINGS)),
    database: await connect(url, APP_SESSION_SETTINGS),
  };
}
