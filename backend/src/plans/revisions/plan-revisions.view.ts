import { ApiProperty } from '@nestjs/swagger';
import { TextDiffView } from '../../common/revisions/revisions.view.js';
import { PlanRevisionHeadView } from '../plans.view.js';
import { CHANGE_WAYS, type PartChange } from './revision-changes.js';

/** A part of a plan that differs. */
export class PlanPartChangeView {
  @ApiProperty({ enum: ['plan', 'variable', 'step'] })
  kind: PartChange['kind'];
  /** Key of the step, or name of the variable; null: fields of the plan itself. */
  @ApiProperty({ type: String, nullable: true, example: 'restart' })
  part: string | null;
  /** `moved`: it has another place among the others, and is the same else. */
  @ApiProperty({ enum: CHANGE_WAYS })
  change: PartChange['change'];
  /**
   * Which fields differ, `position` among them; none of what was added or removed.
   * @example ["command"]
   */
  fields: string[];
}

/** What differs between two revisions of a plan; the lines are those of its YAML. */
export class PlanRevisionDiffView extends TextDiffView {
  /** What was there before; null: nothing was, and all of it is new. */
  @ApiProperty({ type: PlanRevisionHeadView, nullable: true })
  from: PlanRevisionHeadView | null;
  to: PlanRevisionHeadView;
  @ApiProperty({ type: [PlanPartChangeView] })
  changes: PlanPartChangeView[];
}

export const toPlanPartChangeView = ({ kind, part, change, fields }: PartChange): PlanPartChangeView => ({
  kind,
  part,
  change,
  fields,
});
