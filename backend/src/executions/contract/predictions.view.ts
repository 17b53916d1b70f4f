import { ApiProperty } from '@nestjs/swagger';
import { Reason } from '../../common/http/reason.view.js';
import { OutputHostView } from './output-window.view.js';
import { type Verdict, VERDICTS } from '../lifecycle/statuses.js';

export const MAX_PREDICTION_HOSTS = 20;

/** Hosts of a dry run with the same prediction for a step. */
export class PredictionView {
  stepKey: string;
  /** Most severe first: `BLOCKED`. Meanings are those of a result. */
  @ApiProperty({ enum: VERDICTS })
  verdict: Verdict;
  /** Reason for the verdict; null = none. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Predicted change of the file of a template step; masked. */
  @ApiProperty({ type: String, nullable: true })
  diff: string | null;
  /** Number of hosts with this prediction. */
  @ApiProperty({ type: 'integer' })
  hostCount: number;
  /** The first of these hosts. */
  @ApiProperty({ type: [OutputHostView], maxItems: MAX_PREDICTION_HOSTS })
  hosts: OutputHostView[];
}

export class PredictionListView {
  /** In the order of steps; within a step, the most severe verdict first. */
  @ApiProperty({ type: [PredictionView] })
  items: PredictionView[];
  nextCursor: string | null;
}
