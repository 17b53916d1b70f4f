import type { Type } from '@nestjs/common';
import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { BATCH_SCHEMA } from './fields/field-decorators.js';
import { BACKOFFS, FAILURE_POLICIES, type FailurePolicy, type StepRetries } from './fields/step-base.js';
import { listOwnFields } from './step-of-request.js';
import {
  FIELD_GROUPS,
  type OwnViewFields,
  STEP_DEFAULTS,
  STEP_TYPES,
  type StepType,
  type WrittenStep,
} from './types/step-types.js';

export class StepRetriesView {
  count: number;
  delaySeconds: number;
  @ApiProperty({ enum: BACKOFFS })
  backoff: (typeof BACKOFFS)[number];
}

/** Fields of every step. */
class StepBaseView {
  /** @example "restart" */
  key: string;
  /** Title of the step, shown instead of its key; empty = none. */
  name: string;
  /** Kind of work; it decides which of the further fields the step has. */
  @ApiProperty({ enum: STEP_TYPES })
  type: StepType;
  targets: string;
  timeoutSeconds: number;
  runOnce: boolean;
  @ApiProperty({ type: String, nullable: true })
  when: string | null;
  /** Repetitions after a failed attempt; null = none. */
  @ApiProperty({ type: StepRetriesView, nullable: true })
  retries: StepRetriesView | null;
  /** Number of hosts at a time, or a percentage such as `25%`. */
  @ApiProperty(BATCH_SCHEMA)
  batch: number | string | null;
  @ApiProperty({ type: Number, nullable: true })
  maxFailPercent: number | null;
  @ApiProperty({ enum: [...FAILURE_POLICIES, null], type: String, nullable: true })
  onFailure: FailurePolicy | null;
  always: boolean;
  confirm: boolean;
  onlyIfChanged: string[];
}

/** Step of a plan. The last fields are only in steps of their type. */
export class PlanStepView extends (IntersectionType(StepBaseView, ...FIELD_GROUPS.map(({ view }) => view)) as Type<
  StepBaseView & OwnViewFields
>) {}

export const toPlanStepView = (step: WrittenStep): PlanStepView => ({
  key: step.key,
  name: step.name,
  type: step.type,
  targets: step.targets,
  timeoutSeconds: step.timeoutSeconds,
  runOnce: step.runOnce,
  when: step.when,
  retries: step.retries && toRetriesView(step.retries),
  batch: step.batch === null || step.batch.endsWith('%') ? step.batch : Number(step.batch),
  maxFailPercent: step.maxFailPercent,
  onFailure: step.onFailure,
  always: step.always,
  confirm: step.confirm,
  onlyIfChanged: step.onlyIfChanged,
  ...pickOwnFields(step),
});

const toRetriesView = ({ count, delaySeconds, backoff }: StepRetries): StepRetriesView => ({
  count,
  delaySeconds,
  backoff,
});

/** A field that is neither stored nor has a default is a flag that is off. */
function pickOwnFields(step: WrittenStep): Partial<PlanStepView> {
  const stored: object = { ...STEP_DEFAULTS[step.type], ...step };
  const values = new Map(Object.entries(stored));
  return Object.fromEntries(
    listOwnFields(step.type).map((field) => [field, values.has(field) ? values.get(field) : false]),
  );
}
