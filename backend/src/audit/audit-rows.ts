import type { EntityManager } from 'typeorm';
import { affected, row, rows, sql, type Sql } from '../common/database/sql.js';
import { CHAIN_START_HASH, type ChainedEntry, type ChainHead } from './audit-chain.js';

export interface EntryRow {
  id: string;
  tenant_id: string;
  /** Null in entries before the chain, which no statement selects. */
  sequence: string | null;
  at: Date;
  actor_kind: ChainedEntry['actorKind'];
  actor_id: string | null;
  actor_name: string | null;
  token_prefix: string | null;
  address: string | null;
  request_id: string | null;
  action: string;
  resource_type: string;
  resource_id: string | null;
  resource_name: string | null;
  before: unknown;
  after: unknown;
  /** Null in entries before the chain, or if someone removed it. */
  hash: Buffer | null;
}

export const toChainedEntry = (row: EntryRow): ChainedEntry => ({
  id: row.id,
  tenantId: row.tenant_id,
  sequence: Number(row.sequence),
  at: row.at.toISOString(),
  actorKind: row.actor_kind,
  actorId: row.actor_id,
  actorName: row.actor_name,
  tokenPrefix: row.token_prefix,
  address: row.address,
  requestId: row.request_id,
  action: row.action,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  resourceName: row.resource_name,
  before: row.before,
  after: row.after,
  hash: row.hash ?? Buffer.alloc(0),
});

export async function readChainedEntries(
  tx: EntityManager,
  tenantId: string,
  after: number,
  limit: number,
): Promise<ChainedEntry[]> {
  const entries = await rows(
    tx,
    sql<EntryRow>`select * from audit_entries
      where tenant_id = ${tenantId} and sequence > ${after} order by sequence limit ${limit}`,
  );
  return entries.map(toChainedEntry);
}

interface HeadRow {
  sequence: string;
  hash: Buffer;
  seal: Buffer;
}

export async function readChainHead(tx: EntityManager, tenantId: string): Promise<ChainHead | null> {
  const head = await row(tx, sql<HeadRow>`select sequence, hash, seal from audit_heads where tenant_id = ${tenantId}`);
  return head ? { ...head, sequence: Number(head.sequence) } : null;
}

/**
 * Locks the head of the tenant's chain until the transaction ends. Creates it if the tenant has none.
 * @returns the head, and the database time in milliseconds
 */
export async function lockChainHead(
  tx: EntityManager,
  tenantId: string,
  firstSeal: Buffer,
): Promise<ChainHead & { now: string }> {
  const read = () =>
    row(
      tx,
      sql.prepared<HeadRow & { now: Date }>`
        select sequence, hash, seal, date_trunc('milliseconds', clock_timestamp()) as now
          from audit_heads where tenant_id = ${tenantId} for update`,
    );
  let head = await read();
  if (!head) {
    await affected(
      tx,
      sql`insert into audit_heads (tenant_id, sequence, hash, seal)
        values (${tenantId}, 0, ${CHAIN_START_HASH}, ${firstSeal}) on conflict do nothing`,
    );
    head = await read();
  }
  if (!head) throw new Error('The audit chain of the tenant has no head.');
  return { ...head, sequence: Number(head.sequence), now: head.now.toISOString() };
}

const updateChainHeadSql = (tenantId: string, { sequence, hash, seal }: ChainHead): Sql =>
  sql`update audit_heads set sequence = ${sequence}, hash = ${hash}, seal = ${seal} where tenant_id = ${tenantId}`;

/** The transaction must hold the lock of the head. */
export async function writeChainHead(tx: EntityManager, tenantId: string, head: ChainHead): Promise<void> {
  await affected(tx, updateChainHeadSql(tenantId, head));
}

/** Maximum number of entries per statement. An import of servers has thousands of entries. */
export const ENTRIES_PER_INSERT = 250;

const insertEntriesSql = (entries: readonly ChainedEntry[]): Sql => sql`
  insert into audit_entries (id, tenant_id, sequence, at, actor_kind, actor_id, actor_name, token_prefix, address, request_id,
    action, resource_type, resource_id, resource_name, before, after, hash)
  select id, "tenantId", sequence, at, "actorKind", "actorId", "actorName", "tokenPrefix", address, "requestId",
    action, "resourceType", "resourceId", "resourceName", before, after, decode(hash, 'hex')
  from jsonb_to_recordset(${toEntriesJson(entries)}::jsonb) as x (id uuid, "tenantId" uuid, sequence bigint, at timestamptz, "actorKind" text,
    "actorId" uuid, "actorName" text, "tokenPrefix" text, address text, "requestId" text, action text,
    "resourceType" text, "resourceId" uuid, "resourceName" text, before jsonb, after jsonb, hash text)`;

const toEntriesJson = (entries: readonly ChainedEntry[]): string =>
  JSON.stringify(entries.map(({ hash, ...entry }) => ({ ...entry, hash: hash.toString('hex') })));

export async function insertEntries(tx: EntityManager, entries: readonly ChainedEntry[]): Promise<void> {
  await affected(tx, insertEntriesSql(entries));
}

/**
 * Returns the statement that stores the last entries and the new head. The transaction must hold the lock of the head.
 */
export const appendEntriesSql = (tenantId: string, entries: readonly ChainedEntry[], head: ChainHead): Sql =>
  sql.prepared`with entries as (${insertEntriesSql(entries)}) ${updateChainHeadSql(tenantId, head)}`;
