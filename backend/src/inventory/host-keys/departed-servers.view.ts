import { ApiProperty } from '@nestjs/swagger';
import { IsOptionalField, MultilineText, OptionalBoolean } from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { type DepartedRow, type Departure, DEPARTURES } from '../machines/departures.js';
import { toUserReference, UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';

export class ReleaseDepartedServerRequest {
  /** Reason for the audit trail. Required for an override. */
  @IsOptionalField()
  @MultilineText(2000)
  reason?: string;

  /** Emergency override by an admin: released immediately without a second person. Audited and reported. */
  @OptionalBoolean()
  override?: boolean;
}

export class ListDepartedServersQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}

/** Address or host key that the server protected. */
export class DepartedProofView {
  /** Canonical address. @example "10.0.0.5" */
  address: string;
  /** @example 22 */
  port: number;
  /** Fingerprint of the host key; null = the address alone. */
  @ApiProperty({ type: String, nullable: true })
  fingerprint: string | null;
}

/** Server that left a protected environment. Its addresses and host keys are still protected there. */
export class DepartedServerView {
  id: string;
  /** ID of the server, which may be deleted. */
  serverId: string;
  /** Name of the server at that time. */
  serverName: string;
  /** `readdressed`: its address, port or jump server changed. `forgotten`: its proofs were forgotten. */
  @ApiProperty({ enum: DEPARTURES })
  how: Departure;
  /** Member who caused the departure; null = unknown. */
  @ApiProperty({ type: UserReference, nullable: true })
  leftBy: UserReference | null;
  /** Time at which the server was deleted or got another address, in UTC. */
  leftAt: string;
  /** End of the protection of its addresses and host keys; null = until a second approver releases them. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  countsUntil: string | null;
  /** Approver who removed the end; null = none, or unknown. */
  @ApiProperty({ type: UserReference, nullable: true })
  keptBy: UserReference | null;
  /** First 20 proofs. */
  proofs: DepartedProofView[];
  /** Whether the caller can release it without an override. */
  currentUserCanRelease: boolean;
  /** Reason why the caller cannot release it; null = the caller can. */
  @ApiProperty({ type: Reason, nullable: true })
  currentUserObstacle: Reason | null;
}

export class DepartedServerListView {
  @ApiProperty({ type: [DepartedServerView] })
  items: DepartedServerView[];
  nextCursor: string | null;
}

/** @param obstacle why the caller may not release the server; null = allowed */
export const toDepartedServerView = (row: DepartedRow, obstacle: Reason | null): DepartedServerView => ({
  id: row.id,
  serverId: row.server_id,
  serverName: row.server_name,
  how: row.how,
  leftBy: toUserReference(row.left_by, row.left_by_name),
  leftAt: row.left_at.toISOString(),
  countsUntil: row.counts_until?.toISOString() ?? null,
  keptBy: toUserReference(row.kept_by, row.kept_by_name),
  proofs: row.proofs.map((proof) => ({ ...proof, fingerprint: proof.fingerprint === '' ? null : proof.fingerprint })),
  currentUserCanRelease: obstacle === null,
  currentUserObstacle: obstacle,
});
