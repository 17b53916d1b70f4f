import { ApiProperty } from '@nestjs/swagger';
import { UserReference } from '../../common/http/user-reference.view.js';
import { OverlapConflictView, RunAuthorView } from '../../common/http/problem.view.js';

/** Approval that a real run would need. */
export class ApprovalForecastView {
  /** Number of members who would have to approve. */
  requiredApprovals: number;
  /** Members who could approve it if you started it; the first 20. Empty for viewers. */
  @ApiProperty({ type: [UserReference] })
  approvers: UserReference[];
  /** Number of members who could approve it, listed or not. */
  approverCount: number;
}

/** Freeze that would apply to a real run. */
export class FreezeForecastView {
  collectionName: string;
  /** Reason of the freeze. */
  reason: string;
  until: string;
}

/** Closed run windows that would apply to a real run. */
export class WindowForecastView {
  /** @example "Europe/Berlin" */
  timeZone: string;
  /** Time when the next window opens; null = never. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  opensAt: string | null;
  /** Reason of the blackout that closes an otherwise open window; null = outside the hours of the windows. */
  @ApiProperty({ type: String, nullable: true })
  blackout: string | null;
}

/** Authors of content that a real run would use for the first time in the environment. */
export class AuthorsForecastView {
  /** The first 100. */
  @ApiProperty({ type: [RunAuthorView] })
  items: RunAuthorView[];
  /**
   * Value of `acceptAuthors` with which a person accepts content of authors who may not run in the environment; null
   * = not needed.
   */
  @ApiProperty({ type: String, nullable: true })
  acceptAuthors: string | null;
  /** The environment refuses the run because of unknown authors of git content. */
  refused: boolean;
}

export const FORECAST_OBSTACLES = [
  'approval',
  'conflict',
  'frozen',
  'window',
  'author_not_allowed',
  'unknown_authors',
] as const;

/** Conditions that a real run would meet now; dry runs only. */
export class ForecastView {
  /** Obstacles that would prevent an immediate start of a real run; empty = none. */
  @ApiProperty({ enum: FORECAST_OBSTACLES, isArray: true })
  obstacles: (typeof FORECAST_OBSTACLES)[number][];
  /** Whether a real run would wait for approval. */
  approvalRequired: boolean;
  /** Null = no approval is required. */
  @ApiProperty({ type: ApprovalForecastView, nullable: true })
  approval: ApprovalForecastView | null;
  /** Null = the environment is open, and requires neither approval nor known authors. */
  @ApiProperty({ type: AuthorsForecastView, nullable: true })
  authors: AuthorsForecastView | null;
  /** Null = no freeze applies to the plan. */
  @ApiProperty({ type: FreezeForecastView, nullable: true })
  freeze: FreezeForecastView | null;
  /** Null = the environment has no run windows, or they are open. */
  @ApiProperty({ type: WindowForecastView, nullable: true })
  window: WindowForecastView | null;
  /** Runs that would conflict with it. */
  @ApiProperty({ type: [OverlapConflictView] })
  conflicts: OverlapConflictView[];
  /** Number of conflicting runs that you cannot see. */
  hiddenConflicts: number;
}
