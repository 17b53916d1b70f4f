import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { affected, type Sql, row, rows, sql } from '../common/database/sql.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { newId } from '../common/ids.js';
import { type AuditActionName, toResourceType } from './audit-actions.js';
import {
  type AuditEntryContent,
  CHAIN_START_HASH,
  type ChainedEntry,
  computeEntryHash,
  computeHeadSeal,
  type ChainHead,
  AuditKey,
} from './audit-chain.js';

/** Recorded action. `before` and `after` contain only visible fields, never a secret. */
export interface AuditAction {
  action: AuditActionName;
  /** Default: the resource type of the action. */
  resourceType?: string;
  resourceId?: string | null;
  resourceName?: string | null;
  before?: object | null;
  after?: object | null;
}

export interface AuditedChange extends Pick<AuditAction, 'action'> {
  before?: NamedRecord | null;
  after?: NamedRecord | null;
}

interface NamedRecord {
  id: string;
  name: string;
}

export type AuditActor =
  | Principal
  | { kind: 'system'; tenantId: string; name: string }
  | { kind: 'user'; tenantId: string; userId: string; name: string; address: string; requestId: string }
  | {
      kind: 'anonymous';
      tenantId: string;
      userId: string | null;
      name: string | null;
      address: string;
      requestId: string;
    };

type UnsequencedEntry = Omit<AuditEntryContent, 'id' | 'at'>;

@Injectable()
export class AuditTrail {
  private readonly waiting = new WeakMap<EntityManager, UnsequencedEntry[]>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly key: AuditKey,
  ) {}

  /**
   * Records an action. The entry is written at the end of the unit of work of `tx`, and rolled back with it. Writing
   * locks the head of the tenant's chain, so it happens as late as possible.
   */
  async record(tx: EntityManager, actor: AuditActor, fact: AuditAction): Promise<void> {
    const content = toEntryContent(actor, fact);
    const waiting = this.waiting.get(tx);
    if (waiting) {
      waiting.push(content);
      return;
    }
    const list = [content];
    this.waiting.set(tx, list);
    this.units.beforeCommit(tx, () => this.appendEntries(tx, actor.tenantId, list));
  }

  /**
   * Records an action on the whole installation, in a unit of work without a tenant. The trail of each actor's tenant
   * gets an entry.
   */
  recordInEachTenant(tx: EntityManager, actors: readonly AuditActor[], fact: AuditAction): void {
    this.units.beforeCommit(tx, async () => {
      for (const actor of actors) {
        await this.units.enterTenant(tx, actor.tenantId);
        await this.appendEntries(tx, actor.tenantId, [toEntryContent(actor, fact)]).then((last) => affected(tx, last));
      }
    });
  }

  /**
   * Like `record`, but for a change of one record. `before` is absent for a created record, `after` for a deleted
   * record.
   */
  recordChange(tx: EntityManager, actor: AuditActor, { before, after, ...fact }: AuditedChange): Promise<void> {
    const record = after ?? before;
    return this.record(tx, actor, { ...fact, resourceId: record?.id, resourceName: record?.name, before, after });
  }

  /** @returns the statement for the last entries and the head, to be sent with the commit */
  private async appendEntries(tx: EntityManager, tenantId: string, facts: readonly UnsequencedEntry[]): Promise<Sql> {
    const head = await lockChainHead(tx, tenantId, computeHeadSeal(this.key.value, tenantId, 0, CHAIN_START_HASH));
    let { sequence, hash } = head;
    // Writes in parts: an import has thousands of entries, which must not block the event loop.
    let entries: ChainedEntry[] = [];
    for (let from = 0; from < facts.length; from += ENTRIES_PER_INSERT) {
      if (entries.length > 0) await insertEntries(tx, entries);
      entries = facts.slice(from, from + ENTRIES_PER_INSERT).map((fact): ChainedEntry => {
        const content: AuditEntryContent = { ...fact, id: newId(), at: head.now };
        sequence += 1;
        hash = computeEntryHash(this.key.value, hash, sequence, content);
        return { ...content, sequence, hash };
      });
    }
    const end = { sequence, hash, seal: computeHeadSeal(this.key.value, tenantId, sequence, hash) };
    return appendEntriesSql(tenantId, entries, end);
  }
}

const toEntryContent = (actor: AuditActor, fact: AuditAction): UnsequencedEntry => ({
  tenantId: actor.tenantId,
  ...toActorColumns(actor),
  action: fact.action,
  resourceType: fact.resourceType ?? toResourceType(fact.action),
  resourceId: fact.resourceId ?? null,
  resourceName: fact.resourceName ?? null,
  before: toStoredJson(fact.before),
  after: toStoredJson(fact.after),
});

/** Returns the value as JSON stores it: without fields that JSON drops. */
const toStoredJson = (value: object | null | undefined): unknown =>
  value === null || value === undefined ? null : (JSON.parse(JSON.stringify(value)) as unknown);

type ActorColumns = Pick<
  AuditEntryContent,
  'actorKind' | 'actorId' | 'actorName' | 'tokenPrefix' | 'address' | 'requestId'
>;

function toActorColumns(actor: AuditActor): ActorColumns {
  if (!('kind' in actor)) {
    const { userId, name, tokenPrefix, address, requestId } = actor;
    return {
      actorKind: 'user',
      actorId: userId,
      actorName: name,
      tokenPrefix,
      address: address || null,
      requestId: requestId || null,
    };
  }
  const none = { actorId: null, tokenPrefix: null, address: null, requestId: null };
  if (actor.kind === 'system') return { actorKind: 'system', actorName: actor.name, ...none };
  const { kind, userId, name, address, requestId } = actor;
  return { actorKind: kind, actorId: userId, actorName: name, tokenPrefix: null, address, requestId };
}

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
const ENTRIES_PER_INSERT = 250;

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

async function insertEntries(tx: EntityManager, entries: readonly ChainedEntry[]): Promise<void> {
  await affected(tx, insertEntriesSql(entries));
}

/**
 * Returns the statement that stores the last entries and the new head. The transaction must hold the lock of the head.
 */
const appendEntriesSql = (tenantId: string, entries: readonly ChainedEntry[], head: ChainHead): Sql =>
  sql.prepared`with entries as (${insertEntriesSql(entries)}) ${updateChainHeadSql(tenantId, head)}`;
