import { CONNECT_TIMEOUT_MS, KEEP_ALIVE_OPTIONS, OWNER_SESSION_SETTINGS } from '../common/database/connection.js';
import { SessionClient } from '../common/database/session-client.js';

const LOCK_TIMEOUT_MS = 60_000;

/** The same text for the same value on every server, so that hashes of `COPY` text can be compared. */
const TEXT_SETTINGS = {
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  extra_float_digits: 3,
  bytea_output: 'hex',
  // A scan starts at the first row, also while another session reads the same table.
  synchronize_seqscans: 'off',
};

/** Runs `work` on a connection of the owner without time limits for statements. */
export async function withOwnerSession<T>(url: string, work: (client: SessionClient) => Promise<T>): Promise<T> {
  const client = new SessionClient({
    connectionString: url,
    application_name: 'runward-backup',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...KEEP_ALIVE_OPTIONS,
    session: {
      ...OWNER_SESSION_SETTINGS,
      ...TEXT_SETTINGS,
      statement_timeout: 0,
      idle_in_transaction_session_timeout: 0,
      lock_timeout: LOCK_TIMEOUT_MS,
    },
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
