import { ApiProperty } from '@nestjs/swagger';
import type { AuditContent } from './audit-chain.js';

const ACTOR_KINDS = ['user', 'system', 'anonymous'] as const;

/** Who did it. */
export class AuditActorView {
  @ApiProperty({ enum: ACTOR_KINDS })
  kind: (typeof ACTOR_KINDS)[number];
  @ApiProperty({ type: String, nullable: true })
  id: string | null;
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
  /** Visible prefix of the token that was used. */
  @ApiProperty({ type: String, nullable: true })
  tokenPrefix: string | null;
  @ApiProperty({ type: String, nullable: true })
  address: string | null;
}

/** One entry of the audit trail. */
export class AuditLogView {
  id: string;
  /** Place in the tenant's chain, from 1. */
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
  /** Visible fields before the change; secrets never stand here. */
  @ApiProperty({ type: 'object', nullable: true, additionalProperties: true })
  before: object | null;
  /** Visible fields after the change; secrets never stand here. */
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

/** Where a check of the chain found something wrong. */
export class AuditFaultView {
  sequence: number;
  /** @example "changed" */
  code: string;
  message: string;
}

/** What a check of the whole chain found. */
export class AuditVerificationView {
  /** Every entry is as it was written, none is missing, and the chain ends where it should. */
  intact: boolean;
  /** How many entries were checked. */
  entries: number;
  @ApiProperty({ type: AuditFaultView, nullable: true })
  fault: AuditFaultView | null;
  /** Hash of the last entry, hexadecimal: compare it with the one that the log told. */
  @ApiProperty({ type: String, nullable: true })
  head: string | null;
  checkedAt: string;
}

export const toAuditLogView = (entry: AuditContent & { sequence: number; hash: Buffer }): AuditLogView => ({
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
