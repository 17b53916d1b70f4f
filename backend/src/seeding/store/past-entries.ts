import { randomUUID } from 'node:crypto';
import type { PastEntry } from '../../audit/past-audit.js';
import type { SeedMember } from '../invent/landscape.js';

/** Who did it: a member, or a part of the product by its name. */
type PastActor = SeedMember | string;

/** What happened to what. */
export interface PastFact {
  at: Date;
  by: PastActor;
  action: string;
  resourceType: string;
  resourceId: string;
  resourceName: string;
  before: object | null;
  after: object | null;
  /** Of the request of a member; a new one unless given. */
  requestId?: string;
}

/** An entry of the trail as the audit room would have made it. */
export function pastEntry({ at, by, requestId, before, after, ...fact }: PastFact): PastEntry {
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
  return { at: at.toISOString(), ...actor, ...fact, before, after };
}
