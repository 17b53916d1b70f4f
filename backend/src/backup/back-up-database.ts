import { constants, publicEncrypt, type KeyObject } from 'node:crypto';
import type { Writable } from 'node:stream';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { row, rows, sql } from '../common/database/sql.js';
import { StartError } from '../common/database/start-error.js';
import { PRODUCT_VERSION } from '../common/product-version.js';
import {
  ARCHIVE_FORMAT,
  type ArchiveHeader,
  HEADER_ENTRY,
  README_ENTRY,
  README_TEXT,
  SEALED_KEY_ENTRY,
  type TableContent,
  tableKey,
} from './archive-format.js';
import { ArchiveWriter } from './archive-writer.js';
import {
  type DatabaseTable,
  enterTenant,
  listSequences,
  listTables,
  listTenantIds,
  qualified,
  readAuditHeads,
  seesAllTenants,
} from './database-contents.js';
import { withOwnerSession } from './owner-session.js';
import { columnList } from './restore-tables.js';

/** Attempts to lock all tables before the snapshot. Each new partition in between costs one. */
const MAX_LOCK_ATTEMPTS = 10;

export interface BackupOptions {
  signal?: AbortSignal;
  /** Seals the master key (base64 text) to this RSA key; undefined = the archive does not contain the master key. */
  sealed?: { masterKey: string; recipient: KeyObject };
}

export interface BackupSummary {
  identity: string;
  createdAt: string;
  tables: number;
  rows: number;
  /** Bytes of the archive. */
  bytes: number;
}

/**
 * Writes a consistent backup of the database to `target`, and ends it. Other sessions are not blocked, except those that
 * create or drop partitions.
 * @param url connection URL of the owner
 * @throws StartError if the database contains no installation
 */
export async function backUpDatabase(
  url: string,
  target: Writable,
  options: BackupOptions = {},
): Promise<BackupSummary> {
  const { signal } = options;
  return withOwnerSession(url, async (client) => {
    const archive = new ArchiveWriter(target);
    const stop = () => archive.abort(new StartError('The backup was interrupted.'));
    signal?.addEventListener('abort', stop, { once: true });
    try {
      signal?.throwIfAborted();
      const tables = await beginSnapshot(client);
      const header = await readHeader(client, tables);
      await archive.add(HEADER_ENTRY, Buffer.from(`${JSON.stringify(header, null, 1)}\n`));
      await archive.add(README_ENTRY, Buffer.from(README_TEXT));
      if (options.sealed) await archive.add(SEALED_KEY_ENTRY, sealMasterKey(options.sealed));
      const tenants = await listTenantIds(client);
      const bypasses = await seesAllTenants(client);
      const contents: TableContent[] = [];
      for (const [position, table] of tables.entries()) {
        const count = { rows: 0 };
        const lines = copyTable(client, table, table.forced && !bypasses ? tenants : null, count);
        const content = await archive.addTable(position, table, lines);
        contents.push({ ...content, rows: count.rows });
      }
      // Sequences are read after the tables: they are never behind the rows of the snapshot.
      const sequences = await listSequences(client);
      const auditHeads = await readAuditHeads(client, tenants);
      await archive.finish({ header, tables: contents, sequences, auditHeads });
      await client.query('commit');
      return {
        identity: header.installation.identity,
        createdAt: header.createdAt,
        tables: tables.length,
        rows: contents.reduce((sum, { rows: count }) => sum + count, 0),
        bytes: archive.bytes,
      };
    } catch (error) {
      archive.abort(error as Error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  });
}

/**
 * Locks all tables against dropping, then takes the snapshot. `lock table` takes none, so no table of the snapshot can
 * be dropped before it is copied.
 */
async function beginSnapshot(client: Client): Promise<DatabaseTable[]> {
  for (let attempt = 0; attempt < MAX_LOCK_ATTEMPTS; attempt += 1) {
    const before = await listTables(client);
    if (!before.some((table) => tableKey(table) === 'public.installation'))
      throw new StartError('This database contains no installation yet. Start Runward first.');
    await client.query('begin isolation level repeatable read read only');
    try {
      await client.query(
        `lock table ${before.map((table) => `only ${qualified(table)}`).join(', ')} in access share mode`,
      );
      const tables = await listTables(client);
      if (JSON.stringify(tables) === JSON.stringify(before)) return tables;
    } catch (error) {
      // A table was dropped since the list was read.
      if ((error as { code?: string }).code !== '42P01') throw error;
    }
    await client.query('rollback');
  }
  throw new StartError('Tables of the database change all the time. Try again later.');
}

async function readHeader(client: Client, tables: readonly DatabaseTable[]): Promise<ArchiveHeader> {
  const facts = await row(
    client,
    sql<{ identity: string; incarnation: number; master_key_id: string; at: Date; postgres: string }>`
      select identity, incarnation::float8 as incarnation, master_key_id, now() as at,
        current_setting('server_version') as postgres from installation`,
  );
  if (!facts) throw new StartError('This database contains no installation yet. Start Runward first.');
  const migrations = await rows(client, sql<{ name: string }>`select name from runward_migrations order by id`);
  return {
    format: ARCHIVE_FORMAT,
    runward: PRODUCT_VERSION,
    createdAt: facts.at.toISOString(),
    postgres: facts.postgres,
    installation: { identity: facts.identity, incarnation: facts.incarnation },
    masterKeyId: facts.master_key_id,
    migrations: migrations.map(({ name }) => name),
    tables: tables.map(({ schema, name, columns, partition }) => ({ schema, name, columns, partition })),
  };
}

/** @param tenants null = all rows at once. @param count receives the number of rows */
async function* copyTable(
  client: Client,
  table: DatabaseTable,
  tenants: readonly string[] | null,
  count: { rows: number },
): AsyncGenerator<Buffer> {
  const text = `copy (select ${columnList(table.columns)} from only ${qualified(table)}) to stdout`;
  for (const tenant of tenants ?? [null]) {
    if (tenant !== null) await enterTenant(client, tenant);
    const lines = client.query(copyTo(text));
    for await (const part of lines) yield part as Buffer;
    count.rows += lines.rowCount;
  }
  if (tenants) await enterTenant(client, '');
}

const sealMasterKey = ({ masterKey, recipient }: { masterKey: string; recipient: KeyObject }): Buffer =>
  publicEncrypt(
    { key: recipient, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
    Buffer.from(masterKey),
  );
