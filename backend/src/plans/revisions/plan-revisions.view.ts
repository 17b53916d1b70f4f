import { ApiProperty } from '@nestjs/swagger';
import { TextDiffView } from '../../revisions/revisions.view.js';
import { PlanRevisionHeadView } from '../plans.view.js';
import { CHANGE_KINDS, type PartChange } from './revision-changes.js';

/** A difference in one part of a plan. */
export class PlanPartChangeView {
  /** Part of the plan that differs. */
  @ApiProperty({ enum: ['plan', 'variable', 'step'] })
  kind: PartChange['kind'];
  /** Key of the step or name of the variable; null = fields of the plan itself. */
  @ApiProperty({ type: String, nullable: true, example: 'restart' })
  part: string | null;
  /** `moved`: only its position has changed. */
  @ApiProperty({ enum: CHANGE_KINDS })
  change: PartChange['change'];
  /**
   * Fields that differ, including `position`; empty for an added or removed part.
   * @example ["command"]
   */
  fields: string[];
}

/** Differences between two revisions of a plan, with a line diff of its YAML. */
export class PlanRevisionDiffView extends TextDiffView {
  /** Revision that is compared with; null = none, everything is new. */
  @ApiProperty({ type: PlanRevisionHeadView, nullable: true })
  from: PlanRevisionHeadView | null;
  /** Revision of the path of the request. */
  to: PlanRevisionHeadView;
  /** Steps, variables and plan fields that differ. */
  @ApiProperty({ type: [PlanPartChangeView] })
  changes: PlanPartChangeView[];
}

export const toPlanPartChangeView = ({ kind, part, change, fields }: PartChange): PlanPartChangeView => ({
  kind,
  part,
  change,
  fields,
});
