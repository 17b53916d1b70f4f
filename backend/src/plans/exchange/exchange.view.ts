import { ApiProperty } from '@nestjs/swagger';
import { Reason } from '../../common/http/reason.view.js';
import type { ConvertedText, TextPlace } from '../code/plan-text.js';
import { PlanContentView, toPlanContentView } from '../plans.view.js';
import type { PlanChange } from './plan-changes.js';
import type { ValidPlan } from './plan-texts.js';

/** One field that an import changes. */
export class PlanChangeView {
  /** Part of the plan that differs. */
  @ApiProperty({ enum: ['plan', 'variable', 'step'] })
  kind: 'plan' | 'variable' | 'step';
  /** Key of the step or name of the variable; null = a field of the plan itself. */
  @ApiProperty({ type: String, nullable: true, example: 'restart' })
  part: string | null;
  /**
   * `position`: position in the list of steps or variables.
   * @example "command"
   */
  field: string;
  /** Null = not set, so the default applied. */
  @ApiProperty({ type: String, nullable: true })
  before: string | null;
  @ApiProperty({ type: String, nullable: true })
  after: string | null;
}

/** A fault and its position in the text; lines and columns start at 1. */
export class PlanFaultView {
  /**
   * JSON pointer into the parsed text.
   * @example "/steps/0/command"
   */
  path: string;
  reason: Reason;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

/** Result for one plan of the text. */
export class ImportedPlanView {
  /** @example "Restart web" */
  name: string;
  /** `leave`: the plan already matches the text. */
  @ApiProperty({ enum: ['create', 'change', 'leave'] })
  action: 'create' | 'change' | 'leave';
  /** Null in the preview of a new plan. */
  @ApiProperty({ type: String, nullable: true })
  planId: string | null;
  /** Number of the latest revision; null in the preview of a new plan. */
  @ApiProperty({ type: Number, nullable: true })
  revision: number | null;
  /** First line of the plan in the text. */
  line: number;
  /** Number of steps in the text. */
  stepCount: number;
  /** The first 200 changed fields; empty for a new plan. */
  @ApiProperty({ type: [PlanChangeView] })
  changes: PlanChangeView[];
  /** Number of changes that are not listed. */
  moreChanges: number;
  /** Steps whose `interpreter` contradicts line 1 of their script. The plan can be saved. */
  @ApiProperty({ type: [PlanFaultView] })
  warnings: PlanFaultView[];
  /** The plan as YAML; null = not a preview. */
  @ApiProperty({ type: String, nullable: true })
  yaml: string | null;
}

/** Part of a foreign job that could not be converted. */
export class PlanNotCarriedView {
  /** Line in the text, from 1; null = unknown. */
  @ApiProperty({ type: Number, nullable: true })
  line: number | null;
  /**
   * Name of the Rundeck job.
   * @example "Nightly backup"
   */
  job: string;
  /** Number of the step in the job, from 1; null = the job as a whole. */
  @ApiProperty({ type: String, nullable: true })
  step: string | null;
  /**
   * Name of the setting that has no equivalent.
   * @example "schedule"
   */
  what: string;
  /** Why it is not imported, and the alternative in Runward. */
  reason: Reason;
}

export class PlanImportView {
  /** True = nothing was changed. */
  preview: boolean;
  /** Plans of the text, in its order. */
  @ApiProperty({ type: [ImportedPlanView] })
  plans: ImportedPlanView[];
  /** Settings of Rundeck jobs that are not imported, at most 500. */
  @ApiProperty({ type: [PlanNotCarriedView] })
  notCarried: PlanNotCarriedView[];
  /** Number of parts that are not listed. */
  moreNotCarried: number;
}

/** Fields of the plan in a text. */
export class PlanFieldsView extends PlanContentView {
  name: string;
  description: string;
  /** Default environment of a start; null = none. */
  @ApiProperty({ type: String, nullable: true })
  environmentId: string | null;
  /** Collection of the plan; null = none. */
  @ApiProperty({ type: String, nullable: true })
  collectionId: string | null;
}

export class PlanCheckView {
  /** Empty = the plan can be saved. */
  @ApiProperty({ type: [PlanFaultView] })
  faults: PlanFaultView[];
  /** Steps whose `interpreter` contradicts line 1 of their script. The plan can be saved. */
  @ApiProperty({ type: [PlanFaultView] })
  warnings: PlanFaultView[];
  /** Null = the text has format faults, so its fields are unknown. */
  @ApiProperty({ type: PlanFieldsView, nullable: true })
  plan: PlanFieldsView | null;
  /** The plan as an export would write it; null = the text is not a plan. */
  @ApiProperty({ type: String, nullable: true })
  yaml: string | null;
}

export const toPlanFieldsView = ({ request, content }: ValidPlan): PlanFieldsView => ({
  name: request.name,
  description: request.description ?? '',
  environmentId: request.environmentId ?? null,
  collectionId: request.collectionId ?? null,
  ...toPlanContentView(content),
});

export const toPlanFaultView = (fault: TextPlace & Omit<PlanFaultView, keyof TextPlace>): PlanFaultView => ({
  path: fault.path,
  reason: fault.reason,
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
  reason: { code: 'not_imported', text: each.reason },
});
