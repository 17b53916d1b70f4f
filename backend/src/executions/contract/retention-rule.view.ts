import { ApiProperty } from '@nestjs/swagger';

/** For how long runs are kept. Null: no such limit. */
export class RetentionRuleView {
  /** Days since the start of a run. */
  @ApiProperty({ type: Number, nullable: true })
  keepDays: number | null;
  /** The newest so many runs of each environment. */
  @ApiProperty({ type: Number, nullable: true })
  keepRuns: number | null;
  /** The newest runs of each environment whose output has so many bytes together. */
  @ApiProperty({ type: Number, nullable: true })
  keepBytes: number | null;
  updatedAt: string;
  updatedByName: string;
}

export class LiftRequestView {
  byId: string;
  byName: string;
  /** Until when another admin can lift the hold. */
  expiresAt: string;
}

/** Who keeps a run from being deleted. */
export class ExecutionPinView {
  at: string;
  byName: string;
  /** Why; null: nothing was said. */
  @ApiProperty({ type: String, nullable: true })
  note: string | null;
  /** Two admins have to lift it. */
  legalHold: boolean;
  /** Request to lift the legal hold; null: there is none, or it expired. */
  @ApiProperty({ type: LiftRequestView, nullable: true })
  liftRequest: LiftRequestView | null;
}
