import type { EntityManager } from 'typeorm';
import { prepared } from '../common/database/prepared.js';
import type { Statement } from '../common/database/unit-of-work.js';
import { CHAIN_START, type ChainedEntry, type ChainHead } from './audit-chain.js';

export interface EntryRow {
  id: string;
  tenant_id: string;
  sequence: string;
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
  hash: Buffer;
}

export const toEntry = (row: EntryRow): ChainedEntry => ({
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
  hash: row.hash,
});

export async function readChain(
  tx: EntityManager,
  tenantId: string,
  after: number,
  limit: number,
): Promise<ChainedEntry[]> {
  const rows = await tx.query<EntryRow[]>(
    'select * from audit_entries where tenant_id = $1 and sequence > $2 order by sequence limit $3',
    [tenantId, after, limit],
  );
  return rows.map(toEntry);
}

export async function readHead(tx: EntityManager, tenantId: string): Promise<ChainHead | null> {
  const [row] = await tx.query<{ sequence: string; hash: Buffer; seal: Buffer }[]>(
    'select sequence, hash, seal from audit_heads where tenant_id = $1',
    [tenantId],
  );
  return row ? { sequence: Number(row.sequence), hash: row.hash, seal: row.seal } : null;
}

/**
 * Locks the head of the tenant's chain until the transaction ends. Creates it if the tenant has none.
 * @returns the head, and the database time in milliseconds
 */
export async function lockHead(
  tx: EntityManager,
  tenantId: string,
  firstSeal: Buffer,
): Promise<ChainHead & { now: string }> {
  const read = () =>
    tx.query<{ sequence: string; hash: Buffer; seal: Buffer; now: Date }[]>(
      prepared(`select sequence, hash, seal, date_trunc('milliseconds', clock_timestamp()) as now
        from audit_heads where tenant_id = $1 for update`),
      [tenantId],
    );
  let [row] = await read();
  if (!row) {
    await tx.query(
      'insert into audit_heads (tenant_id, sequence, hash, seal) values ($1, 0, $2, $3) on conflict do nothing',
      [tenantId, CHAIN_START, firstSeal],
    );
    [row] = await read();
  }
  if (!row) throw new Error('The audit chain of the tenant has no head.');
  return { sequence: Number(row.sequence), hash: row.hash, seal: row.seal, now: row.now.toISOString() };
}

/** The transaction must hold the lock of the head. */
export async function writeHead(tx: EntityManager, tenantId: string, head: ChainHead): Promise<void> {
  await tx.query('update audit_heads set sequence = $2, hash = $3, seal = $4 where tenant_id = $1', [
    tenantId,
    head.sequence,
    head.hash,
    head.seal,
  ]);
}

/** Maximum number of entries per statement. An import of servers has thousands of entries. */
export const ENTRIES_AT_ONCE = 250;

const INSERT = `insert into audit_entries (id, tenant_id, sequence, at, actor_kind, actor_id, actor_name, token_prefix, address, request_id,
    action, resource_type, resource_id, resource_name, before, after, hash)
  select id, "tenantId", sequence, at, "actorKind", "actorId", "actorName", "tokenPrefix", address, "requestId",
    action, "resourceType", "resourceId", "resourceName", before, after, decode(hash, 'hex')
  from jsonb_to_recordset($1::jsonb) as x (id uuid, "tenantId" uuid, sequence bigint, at timestamptz, "actorKind" text,
    "actorId" uuid, "actorName" text, "tokenPrefix" text, address text, "requestId" text, action text,
    "resourceType" text, "resourceId" uuid, "resourceName" text, before jsonb, after jsonb, hash text)`;

const INSERT_LAST = prepared(
  `with entries as (${INSERT}) update audit_heads set sequence = $3, hash = $4, seal = $5 where tenant_id = $2`,
);

const asJson = (entries: readonly ChainedEntry[]): string =>
  JSON.stringify(entries.map(({ hash, ...entry }) => ({ ...entry, hash: hash.toString('hex') })));

export async function insertEntries(tx: EntityManager, entries: readonly ChainedEntry[]): Promise<void> {
  await tx.query(INSERT, [asJson(entries)]);
}

/**
 * Returns the statement that stores the last entries and the new head. The transaction must hold the lock of the head.
 */
export const lastEntries = (tenantId: string, entries: readonly ChainedEntry[], head: ChainHead): Statement => ({
  sql: INSERT_LAST,
  values: [asJson(entries), tenantId, head.sequence, head.hash, head.seal],
});
