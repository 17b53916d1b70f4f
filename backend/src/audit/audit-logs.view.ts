import { ApiProperty } from '@nestjs/swagger';
import type { AuditEntryContent } from './audit-chain.js';
import { Reason } from '../common/http/reason.view.js';

const ACTOR_KINDS = ['user', 'system', 'anonymous'] as const;

/** Member or process that made the change. */
export class AuditActorView {
  @ApiProperty({ enum: ACTOR_KINDS })
  kind: (typeof ACTOR_KINDS)[number];
  @ApiProperty({ type: String, nullable: true })
  id: string | null;
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
  /** Visible prefix of the API token that was used. */
  @ApiProperty({ type: String, nullable: true })
  tokenPrefix: string | null;
  @ApiProperty({ type: String, nullable: true })
  address: string | null;
}

/** Entry of the audit trail. */
export class AuditLogView {
  id: string;
  /** Position in the tenant's chain, from 1. */
  sequence: number;
  at: string;
  actor: AuditActorView;
  @ApiProperty({ type: String, nullable: true })
  requestId: string | null;
  /** @example "server.update" */
  action: string;
  /** @example "server" */
  resourceType: string;
  @ApiProperty({ type: String, nullable: true })
  resourceId: string | null;
  @ApiProperty({ type: String, nullable: true })
  resourceName: string | null;
  /** Visible fields before the change, without secrets. */
  @ApiProperty({ type: 'object', nullable: true, additionalProperties: true })
  before: object | null;
  /** Visible fields after the change, without secrets. */
  @ApiProperty({ type: 'object', nullable: true, additionalProperties: true })
  after: object | null;
  /** Hash of the entry in the chain, hexadecimal. */
  hash: string;
}

export class AuditLogListView {
  @ApiProperty({ type: [AuditLogView] })
  items: AuditLogView[];
  nextCursor: string | null;
}

/** Position at which the verification of the chain failed. */
export class AuditFaultView {
  sequence: number;
  reason: Reason;
}

/** Result of the verification of the whole chain. */
export class AuditVerificationView {
  /** True: no entry was changed, none is missing, and the chain ends at the expected entry. */
  intact: boolean;
  /** Number of verified entries. */
  entries: number;
  @ApiProperty({ type: AuditFaultView, nullable: true })
  fault: AuditFaultView | null;
  /** Hash of the last entry, hexadecimal. Compare it with the hash in the server log. */
  @ApiProperty({ type: String, nullable: true })
  head: string | null;
  checkedAt: string;
}

export const toAuditLogView = (entry: AuditEntryContent & { sequence: number; hash: Buffer }): AuditLogView => ({
  id: entry.id,
  sequence: entry.sequence,
  at: entry.at,
  actor: {
    kind: entry.actorKind,
    id: entry.actorId,
    name: entry.actorName,
    tokenPrefix: entry.tokenPrefix,
    address: entry.address,
  },
  requestId: entry.requestId,
  action: entry.action,
  resourceType: entry.resourceType,
  resourceId: entry.resourceId,
  resourceName: entry.resourceName,
  before: entry.before as object | null,
  after: entry.after as object | null,
  hash: entry.hash.toString('hex'),
});
