import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { affected, sql, type Sql } from '../common/database/sql.js';
import { newId } from '../common/ids.js';
import { type AuditContent, CHAIN_START, entryHash, headSeal } from './audit-chain.js';
import { AuditKey } from './audit-key.js';
import { lockHead, writeHead } from './audit-rows.js';

export type PastEntry = Omit<AuditContent, 'id' | 'tenantId'>;

/**
 * Appends entries of a synthetic past to a tenant's chain, for seeding. The chain stays valid. For real actions use
 * `AuditTrail`, which sets the time of the database.
 */
@Injectable()
export class PastAudit {
  constructor(private readonly key: AuditKey) {}

  /** Appends the entries in order. Call it last in the transaction, because it locks the head of the chain. */
  async append(tx: EntityManager, tenantId: string, entries: readonly PastEntry[]): Promise<void> {
    if (entries.length === 0) return;
    let { sequence, hash } = await lockHead(tx, tenantId, headSeal(this.key.value, tenantId, 0, CHAIN_START));
    const appended = entries.map((entry) => {
      const content: AuditContent = { ...entry, id: newId(), tenantId };
      sequence += 1;
      hash = entryHash(this.key.value, hash, sequence, content);
      return { ...content, sequence, hash: hash.toString('hex') };
    });
    await affected(tx, insertion(tenantId, JSON.stringify(appended)));
    await writeHead(tx, tenantId, { sequence, hash, seal: headSeal(this.key.value, tenantId, sequence, hash) });
  }
}

/** @param entries JSON */
const insertion = (tenantId: string, entries: string): Sql => sql`
  insert into audit_entries (id, tenant_id, sequence, at, actor_kind, actor_id, actor_name, token_prefix, address,
    request_id, action, resource_type, resource_id, resource_name, before, after, hash)
  select id, ${tenantId}::uuid, sequence, at, "actorKind", "actorId", "actorName", "tokenPrefix", address, "requestId", action,
    "resourceType", "resourceId", "resourceName", nullif(before, 'null'), nullif(after, 'null'), decode(hash, 'hex')
  from jsonb_to_recordset(${entries}::jsonb) as x (id uuid, sequence bigint, at timestamptz, "actorKind" text, "actorId" uuid,
    "actorName" text, "tokenPrefix" text, address text, "requestId" text, action text, "resourceType" text, "resourceId" uuid,
    "resourceName" text, before jsonb, after jsonb, hash text) order by sequence`;
