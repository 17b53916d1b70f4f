import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { affected, sql, type Sql } from '../common/database/sql.js';
import { newId } from '../common/ids.js';
import {
  type AuditEntryContent,
  CHAIN_START_HASH,
  computeEntryHash,
  computeHeadSeal,
  AuditKey,
} from './audit-chain.js';
import { lockChainHead, writeChainHead } from './audit-trail.js';

export type PastAuditEntry = Omit<AuditEntryContent, 'id' | 'tenantId'>;

/**
 * Appends entries of a synthetic past to a tenant's chain, for `tools/seeding`. The chain stays valid. For real actions use
 * `AuditTrail`, which sets the time of the database.
 */
@Injectable()
export class PastAudit {
  constructor(private readonly key: AuditKey) {}

  /** Appends the entries in order. Call it last in the transaction, because it locks the head of the chain. */
  async appendPastEntries(tx: EntityManager, tenantId: string, entries: readonly PastAuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    let { sequence, hash } = await lockChainHead(
      tx,
      tenantId,
      computeHeadSeal(this.key.value, tenantId, 0, CHAIN_START_HASH),
    );
    const appended = entries.map((entry) => {
      const content: AuditEntryContent = { ...entry, id: newId(), tenantId };
      sequence += 1;
      hash = computeEntryHash(this.key.value, hash, sequence, content);
      return { ...content, sequence, hash: hash.toString('hex') };
    });
    await affected(tx, insertPastEntriesSql(tenantId, JSON.stringify(appended)));
    await writeChainHead(tx, tenantId, {
      sequence,
      hash,
      seal: computeHeadSeal(this.key.value, tenantId, sequence, hash),
    });
  }
}

/** @param entries JSON */
const insertPastEntriesSql = (tenantId: string, entries: string): Sql => sql`
  insert into audit_entries (id, tenant_id, sequence, at, actor_kind, actor_id, actor_name, token_prefix, address,
    request_id, action, resource_type, resource_id, resource_name, before, after, hash)
  select id, ${tenantId}::uuid, sequence, at, "actorKind", "actorId", "actorName", "tokenPrefix", address, "requestId", action,
    "resourceType", "resourceId", "resourceName", nullif(before, 'null'), nullif(after, 'null'), decode(hash, 'hex')
  from jsonb_to_recordset(${entries}::jsonb) as x (id uuid, sequence bigint, at timestamptz, "actorKind" text, "actorId" uuid,
    "actorName" text, "tokenPrefix" text, address text, "requestId" text, action text, "resourceType" text, "resourceId" uuid,
    "resourceName" text, before jsonb, after jsonb, hash text) order by sequence`;
