import { ApiProperty } from '@nestjs/swagger';
import { Maybe, FreeText, YesNo } from '../../common/http/fields.js';
import { SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { type DepartedRow, type Departure, DEPARTURES } from '../machines/departed-rows.js';

export class ReleaseDepartedServerRequest {
  /** Kept in the audit trail. An override needs it. */
  @Maybe()
  @FreeText(2000)
  reason?: string;

  /** Emergency, for admins: released at once without a second person. It is audited and reported. */
  @YesNo()
  override?: boolean;
}

export class ListDepartedServersQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;
}

/** An address or host key that the server protected. */
export class DepartedProofView {
  /** In one spelling. @example "10.0.0.5" */
  address: string;
  /** @example 22 */
  port: number;
  /** Of the host key; null: the address alone. */
  @ApiProperty({ type: String, nullable: true })
  fingerprint: string | null;
}

/** A server that left a protected environment. What it protected there still counts. */
export class DepartedServerView {
  id: string;
  /** It may be deleted. */
  serverId: string;
  serverName: string;
  /** `readdressed`: it has another address, port or jump server. `forgotten`: its proofs were forgotten. */
  @ApiProperty({ enum: DEPARTURES })
  how: Departure;
  /** Null: not known. */
  @ApiProperty({ type: String, nullable: true })
  leftByName: string | null;
  leftAt: string;
  /** Until then its addresses and host keys are protected; null: until a second approver releases them. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time' })
  countsUntil: string | null;
  /** Approver who removed the end; null: none did. */
  @ApiProperty({ type: String, nullable: true })
  keptByName: string | null;
  /** The first 20. */
  proofs: DepartedProofView[];
  /** Whether the caller may release it without an override. */
  currentUserCanRelease: boolean;
  /** Why not; null when they can. */
  @ApiProperty({ type: String, nullable: true })
  currentUserObstacleText: string | null;
}

export class DepartedServerListView {
  @ApiProperty({ type: [DepartedServerView] })
  items: DepartedServerView[];
  nextCursor: string | null;
}

/** @param obstacle why the caller may not release it; null: they may */
export const toDepartedServerView = (row: DepartedRow, obstacle: string | null): DepartedServerView => ({
  id: row.id,
  serverId: row.server_id,
  serverName: row.server_name,
  how: row.how,
  leftByName: row.left_by_name,
  leftAt: row.left_at.toISOString(),
  countsUntil: row.counts_until?.toISOString() ?? null,
  keptByName: row.kept_by_name,
  proofs: row.proofs.map((proof) => ({ ...proof, fingerprint: proof.fingerprint === '' ? null : proof.fingerprint })),
  currentUserCanRelease: obstacle === null,
  currentUserObstacleText: obstacle,
});
