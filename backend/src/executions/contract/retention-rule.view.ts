import { ApiProperty } from '@nestjs/swagger';
import { UserReference } from '../../common/http/user-reference.view.js';

/** Limits of a retention rule; null = no such limit. */
export class RetentionRuleView {
  /** Maximum age of a run, in days since its start. */
  @ApiProperty({ type: Number, nullable: true })
  keepDays: number | null;
  /** Number of newest runs to keep in each environment. */
  @ApiProperty({ type: Number, nullable: true })
  keepRuns: number | null;
  /** Total output of the newest runs to keep in each environment, in bytes. */
  @ApiProperty({ type: Number, nullable: true })
  keepBytes: number | null;
  updatedAt: string;
  /** Null = unknown. */
  @ApiProperty({ type: UserReference, nullable: true })
  updatedBy: UserReference | null;
}

export class LiftRequestView {
  /** Admin who asked to lift the legal hold. */
  by: UserReference;
  /** Time until which another admin can lift the hold. */
  expiresAt: string;
}

/** Pin that protects a run from deletion. */
export class ExecutionPinView {
  /** Time of the pin, in UTC. */
  at: string;
  /** Null = unknown. */
  @ApiProperty({ type: UserReference, nullable: true })
  by: UserReference | null;
  /** Reason; null = none. */
  @ApiProperty({ type: String, nullable: true })
  note: string | null;
  /** Legal hold: two admins must lift it. */
  legalHold: boolean;
  /** Request to lift the legal hold; null = none, or it expired. */
  @ApiProperty({ type: LiftRequestView, nullable: true })
  liftRequest: LiftRequestView | null;
}
