import { ApiProperty } from '@nestjs/swagger';
import type { ConvertedText, Place } from '../code/plan-text.js';
import { PlanContentView, toPlanContentView } from '../plans.view.js';
import type { PlanChange } from './plan-changes.js';
import type { SoundPlan } from './plan-texts.js';

/** One field that an import changes. */
export class PlanChangeView {
  @ApiProperty({ enum: ['plan', 'variable', 'step'] })
  kind: 'plan' | 'variable' | 'step';
  /** Key of the step, or name of the variable; null: it is a field of the plan itself. */
  @ApiProperty({ type: String, nullable: true, example: 'restart' })
  part: string | null;
  /**
   * `position`: the place among the others.
   * @example "command"
   */
  field: string;
  /** Null: nothing is said, so that the default holds. */
  @ApiProperty({ type: String, nullable: true })
  before: string | null;
  @ApiProperty({ type: String, nullable: true })
  after: string | null;
}

/** A fault with its place in the text; lines and columns begin with 1. */
export class PlanFaultView {
  /**
   * JSON pointer into what the text describes.
   * @example "/steps/0/command"
   */
  path: string;
  /** @example "unknown_field" */
  code: string;
  message: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** What becomes of one plan of a text. */
export class ImportedPlanView {
  /** @example "Restart web" */
  name: string;
  /** `leave`: it is already as the text says. */
  @ApiProperty({ enum: ['create', 'change', 'leave'] })
  action: 'create' | 'change' | 'leave';
  /** Null in the preview of a new one. */
  @ApiProperty({ type: String, nullable: true })
  planId: string | null;
  /** Number of its latest revision; null in the preview of a new one. */
  @ApiProperty({ type: Number, nullable: true })
  revision: number | null;
  /** Where it begins in the text. */
  line: number;
  stepCount: number;
  /** The first 200 fields that change; none of a new plan. */
  @ApiProperty({ type: [PlanChangeView] })
  changes: PlanChangeView[];
  /** How many further ones there are. */
  moreChanges: number;
  /** Steps whose `interpreter` contradicts line 1 of their script. The plan can be saved. */
  @ApiProperty({ type: [PlanFaultView] })
  warnings: PlanFaultView[];
  /** The plan as YAML; null: this is no preview. */
  @ApiProperty({ type: String, nullable: true })
  yaml: string | null;
}

/** Something of a foreign job that does not become a part of a plan. */
export class PlanNotCarriedView {
  @ApiProperty({ type: Number, nullable: true })
  line: number | null;
  /** @example "Nightly backup" */
  job: string;
  /** Its number in the job, from 1; null: it belongs to the job as a whole. */
  @ApiProperty({ type: String, nullable: true })
  step: string | null;
  /** @example "schedule" */
  what: string;
  reason: string;
}

export class PlanImportView {
  /** Nothing was changed. */
  preview: boolean;
  @ApiProperty({ type: [ImportedPlanView] })
  plans: ImportedPlanView[];
  @ApiProperty({ type: [PlanNotCarriedView] })
  notCarried: PlanNotCarriedView[];
  /** How many further things are not carried over. */
  moreNotCarried: number;
}

/** The plan of a text by its fields. */
export class PlanFieldsView extends PlanContentView {
  name: string;
  description: string;
  @ApiProperty({ type: String, nullable: true })
  environmentId: string | null;
  @ApiProperty({ type: String, nullable: true })
  collectionId: string | null;
}

export class PlanCheckView {
  /** None: the plan may be saved. */
  @ApiProperty({ type: [PlanFaultView] })
  faults: PlanFaultView[];
  /** Steps whose `interpreter` contradicts line 1 of their script. The plan may be saved. */
  @ApiProperty({ type: [PlanFaultView] })
  warnings: PlanFaultView[];
  /** Null: the text has faults of form, such that it has no such fields. */
  @ApiProperty({ type: PlanFieldsView, nullable: true })
  plan: PlanFieldsView | null;
  /** The plan as it would be exported; null: the text is no plan. */
  @ApiProperty({ type: String, nullable: true })
  yaml: string | null;
}

export const toPlanFieldsView = ({ request, content }: SoundPlan): PlanFieldsView => ({
  name: request.name,
  description: request.description ?? '',
  environmentId: request.environmentId ?? null,
  collectionId: request.collectionId ?? null,
  ...toPlanContentView(content),
});

export const toPlanFaultView = (fault: Place & Omit<PlanFaultView, keyof Place>): PlanFaultView => ({
  path: fault.path,
  code: fault.code,
  message: fault.message,
  line: fault.line,
  column: fault.column,
  endLine: fault.endLine,
  endColumn: fault.endColumn,
});

export const toPlanChangeView = ({ kind, part, field, before, after }: PlanChange): PlanChangeView => ({
  kind,
  part,
  field,
  before,
  after,
});

export const toNotCarriedView = (each: ConvertedText['notCarried'][number]): PlanNotCarriedView => ({
  line: each.line,
  job: each.job,
  step: each.step,
  what: each.what,
  reason: each.reason,
});
