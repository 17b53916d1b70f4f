import type { MasterKey } from '../common/crypto/master-key.js';
import { ANSWER_TIMEOUT_MS, CONNECT_TIMEOUT_MS, OWNER_SESSION_SETTINGS } from '../common/database/connection.js';
import { SessionClient } from '../common/database/session-client.js';
import { checkSealedValues } from '../common/database/sealed-values.js';
import { row, sql } from '../common/database/sql.js';
import { sampleTenants } from '../tenancy/directory/tenants.js';
import { SEALED_COLUMNS } from './sealed-columns.js';

const SAMPLE_SIZE = 200;

/**
 * Self-test at the start: all stored secrets are sealed, and can be opened.
 * @param url connection URL of the owner
 * @throws StartError with one line if a secret is not sealed or can't be opened
 */
export async function checkStoredSecrets(url: string, masterKey: MasterKey): Promise<void> {
  const client = new SessionClient({
    connectionString: url,
    session: OWNER_SESSION_SETTINGS,
    application_name: 'runward-self-test',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const id of await sampleTenants(client, SAMPLE_SIZE)) {
      await row(client, sql`select set_config('app.tenant', ${id}, false)`);
      for (const column of SEALED_COLUMNS) await checkSealedValues(client, column, id, masterKey);
    }
  } finally {
    await client.end();
  }
}
