import { ApiProperty } from '@nestjs/swagger';
import type { AuditEntryContent } from './audit-chain.js';
import { Reason } from '../common/http/reason.view.js';

const ACTOR_KINDS = ['user', 'system', 'anonymous'] as const;

/** Member or process that made the change. */
export class AuditActorView {
  /** `user`: a member. `system`: Runward itself. `anonymous`: a request without valid credentials. */
  @ApiProperty({ enum: ACTOR_KINDS })
  kind: (typeof ACTOR_KINDS)[number];
  /** ID of the member; null = not a member. */
  @ApiProperty({ type: String, nullable: true })
  id: string | null;
  /** Name of the member at that time; null = not a member. */
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
  /** Visible prefix of the API token that was used. */
  @ApiProperty({ type: String, nullable: true })
  tokenPrefix: string | null;
  /** IP address of the client; null = the entry does not result from a request. */
  @ApiProperty({ type: String, nullable: true })
  address: string | null;
}

/** Entry of the audit trail. */
export class AuditLogView {
  id: string;
  /** Position in the tenant's chain, from 1. */
  sequence: number;
  /** Time of the change, in UTC. */
  at: string;
  /** Member or process that made the change. */
  actor: AuditActorView;
  /** Header `X-Request-Id` of the request; null = the entry does not result from a request. */
  @ApiProperty({ type: String, nullable: true })
  requestId: string | null;
  /**
   * Type of the change: record and verb, such as `plan.create`. More actions can be added.
   * @example "server.update"
   */
  action: string;
  /**
   * Type of the changed record: the first part of `action`.
   * @example "server"
   */
  resourceType: string;
  /** ID of the changed record, which may be deleted; null = no single record. */
  @ApiProperty({ type: String, nullable: true })
  resourceId: string | null;
  /** Name of the changed record at that time; null = it has none. */
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
  /** Position of the first invalid or missing entry in the chain, from 1. */
  sequence: number;
  /** Difference between the entry and the chain. */
  reason: Reason;
}

/** Result of the verification of the whole chain. */
export class AuditVerificationView {
  /** True: no entry was changed, none is missing, and the chain ends at the expected entry. */
  intact: boolean;
  /** Number of verified entries. */
  entries: number;
  /** First fault of the chain; null = the chain is intact. */
  @ApiProperty({ type: AuditFaultView, nullable: true })
  fault: AuditFaultView | null;
  /** Hash of the last entry, hexadecimal. Compare it with the hash in the server log. */
  @ApiProperty({ type: String, nullable: true })
  head: string | null;
  /** Time of the verification, in UTC. */
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
