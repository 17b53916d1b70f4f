import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { newId } from '../common/ids.js';

/** What happened to what. `before` and `after` hold the visible fields only, never a secret. */
export interface AuditFact {
  /** `resource.verb`, e.g. `server.update`. */
  action: string;
  resourceType: string;
  resourceId?: string | null;
  resourceName?: string | null;
  before?: object | null;
  after?: object | null;
}

/** Who did it: a signed-in caller, the engine, or somebody who is not signed in (yet). */
export type AuditActor =
  | Principal
  | { kind: 'system'; tenantId: string; name: string }
  | { kind: 'anonymous'; tenantId: string; userId: string | null; name: string; address: string; requestId: string };

/** Adds entries to the audit trail, in the transaction of the change that they tell of. */
@Injectable()
export class AuditTrail {
  async record(tx: EntityManager, actor: AuditActor, fact: AuditFact): Promise<void> {
    await tx.query(
      `insert into audit_entries (id, tenant_id, actor_kind, actor_id, actor_name, token_prefix, address, request_id,
          action, resource_type, resource_id, resource_name, before, after)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
      [
        newId(),
        actor.tenantId,
        ...actorColumns(actor),
        fact.action,
        fact.resourceType,
        fact.resourceId ?? null,
        fact.resourceName ?? null,
        fact.before ?? null,
        fact.after ?? null,
      ],
    );
  }
}

function actorColumns(actor: AuditActor): (string | null)[] {
  if (!('kind' in actor)) {
    return ['user', actor.userId, actor.name, actor.tokenPrefix, actor.address, actor.requestId];
  }
  if (actor.kind === 'system') return ['system', null, actor.name, null, null, null];
  return ['anonymous', actor.userId, actor.name, null, actor.address, actor.requestId];
}
