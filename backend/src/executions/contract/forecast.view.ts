import { ApiProperty } from '@nestjs/swagger';
import { OverlapConflictView, RunAuthorView } from '../../common/http/problem.view.js';

/** Who would have to let a real run into the environment. */
export class ApprovalForecastView {
  requiredApprovals: number;
  /** Names of members who could approve it if the caller started it; the first 20. Empty for viewers. */
  approvers: string[];
  /** How many could, whoever is named. */
  approverCount: number;
}

/** A freeze that a real run would meet. */
export class FreezeForecastView {
  collectionName: string;
  reason: string;
  until: string;
}

/** Closed run windows that a real run would meet. */
export class WindowForecastView {
  /** @example "Europe/Berlin" */
  timeZone: string;
  /** Null: they open no more. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  opensAt: string | null;
  /** Why they are closed although the hours would fit; null: the hours do not fit. */
  @ApiProperty({ type: String, nullable: true })
  blackout: string | null;
}

/** Who wrote what a real run would read for the first time in the environment. */
export class AuthorsForecastView {
  /** The first 100. */
  @ApiProperty({ type: [RunAuthorView] })
  items: RunAuthorView[];
  /**
   * What a person sends with the start to confirm content of authors who may not run in the environment; null: nothing
   * has to be confirmed.
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

/** What a real run would meet at this moment; dry runs only. */
export class ForecastView {
  /** What would keep a real run from starting at once; empty: nothing. */
  @ApiProperty({ enum: FORECAST_OBSTACLES, isArray: true })
  obstacles: (typeof FORECAST_OBSTACLES)[number][];
  approvalRequired: boolean;
  /** Null: none is required. */
  @ApiProperty({ type: ApprovalForecastView, nullable: true })
  approval: ApprovalForecastView | null;
  /** Null: the environment is open, and asks for no approval and no known authors. */
  @ApiProperty({ type: AuthorsForecastView, nullable: true })
  authors: AuthorsForecastView | null;
  /** Null: the plan lies in no frozen collection. */
  @ApiProperty({ type: FreezeForecastView, nullable: true })
  freeze: FreezeForecastView | null;
  /** Null: the environment has no run windows, or they are open. */
  @ApiProperty({ type: WindowForecastView, nullable: true })
  window: WindowForecastView | null;
  @ApiProperty({ type: [OverlapConflictView] })
  conflicts: OverlapConflictView[];
  /** How many further runs are in the way that the caller may not see. */
  hiddenConflicts: number;
}
