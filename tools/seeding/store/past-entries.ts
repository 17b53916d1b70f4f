import { randomUUID } from 'node:crypto';
import { type AuditActionName, toResourceType } from '../../../backend/src/audit/audit-actions.js';
import type { PastAuditEntry } from '../../../backend/src/audit/past-audit.js';
import type { SeedMember } from '../invent/landscape.js';

type PastActor = SeedMember | string;

export interface PastFact {
  at: Date;
  by: PastActor;
  action: AuditActionName;
  resourceId: string;
  resourceName: string;
  before: object | null;
  after: object | null;
  /** Only for members; default: random. */
  requestId?: string;
}

/** Returns an audit entry in the format of the module `audit`. */
export function pastEntry({ at, by, requestId, before, after, ...fact }: PastFact): PastAuditEntry {
  const actor =
    typeof by === 'string'
      ? {
          actorKind: 'system' as const,
          actorId: null,
          actorName: by,
          tokenPrefix: null,
          address: null,
          requestId: null,
        }
      : {
          actorKind: 'user' as const,
          actorId: by.id,
          actorName: by.name,
          tokenPrefix: by.tokenPrefix,
          address: by.address,
          requestId: requestId ?? randomUUID(),
        };
  return { at: at.toISOString(), ...actor, ...fact, resourceType: toResourceType(fact.action), before, after };
}
