import { ApiProperty } from '@nestjs/swagger';
import type { Server } from '../inventory/server.entity.js';
import type { Plan, PlanRevision } from './plan.entity.js';
import type { PlanContent } from './plan-content.js';
import { VALUE_SCHEMA } from './plans.dto.js';
import { VARIABLE_TYPES, type VariableType, type VariableValue } from './variables/variable-value.js';

export class PlanVariableView {
  /** @example "RELEASE" */
  name: string;
  @ApiProperty({ enum: VARIABLE_TYPES })
  type: VariableType;
  required: boolean;
  @ApiProperty({ ...VALUE_SCHEMA, required: false })
  default?: VariableValue;
  choices?: string[];
  pattern?: string;
  description?: string;
}

export class PlanStepView {
  /** @example "restart" */
  key: string;
  name: string;
  @ApiProperty({ enum: ['command'] })
  type: 'command';
  command: string;
  targets: string;
  timeoutSeconds: number;
}

export class PlanSummaryView {
  id: string;
  /** @example "Restart web" */
  name: string;
  description: string;
  @ApiProperty({ type: String, nullable: true })
  environmentId: string | null;
  /** Number of the latest revision, from 1. */
  revision: number;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class PlanView extends PlanSummaryView {
  targets: string;
  @ApiProperty({ type: [PlanVariableView] })
  variables: PlanVariableView[];
  @ApiProperty({ type: [PlanStepView] })
  steps: PlanStepView[];
  @ApiProperty({ type: Number, nullable: true })
  timeoutSeconds: number | null;
}

export class PlanListView {
  items: PlanSummaryView[];
  nextCursor: string | null;
}

export class PlanRevisionView {
  id: string;
  number: number;
  createdBy: string;
  createdAt: string;
  targets: string;
  @ApiProperty({ type: [PlanVariableView] })
  variables: PlanVariableView[];
  @ApiProperty({ type: [PlanStepView] })
  steps: PlanStepView[];
  @ApiProperty({ type: Number, nullable: true })
  timeoutSeconds: number | null;
}

export class PlanRevisionListView {
  items: PlanRevisionView[];
  nextCursor: string | null;
}

/** A server that a run would touch. */
export class TargetView {
  id: string;
  name: string;
  /** Null while no host key was accepted: a run would stop there. */
  @ApiProperty({ type: String, nullable: true })
  hostKeyFingerprint: string | null;
  /** State of the last check. */
  @ApiProperty({ type: String, nullable: true })
  lastCheckState: string | null;
}

export class TargetsPreviewView {
  count: number;
  /** The first 200. */
  @ApiProperty({ type: [TargetView] })
  servers: TargetView[];
  /** How many of the hosts each step would run on. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' }, example: { restart: 2 } })
  stepCounts: Record<string, number>;
}

export const toPlanSummaryView = (plan: Plan): PlanSummaryView => ({
  id: plan.id,
  name: plan.name,
  description: plan.description,
  environmentId: plan.environmentId,
  revision: plan.revision,
  createdAt: plan.createdAt.toISOString(),
  updatedAt: plan.updatedAt.toISOString(),
  version: plan.version,
});

const contentView = (content: PlanContent) => ({
  targets: content.targets,
  variables: content.variables.map(({ name, type, required, default: preset, choices, pattern, description }) => ({
    name,
    type,
    required: required ?? false,
    ...(preset !== undefined ? { default: preset } : {}),
    ...(choices ? { choices } : {}),
    ...(pattern ? { pattern } : {}),
    ...(description ? { description } : {}),
  })),
  steps: content.steps.map(({ key, name, type, command, targets, timeoutSeconds }) => ({
    key,
    name,
    type,
    command,
    targets,
    timeoutSeconds,
  })),
  timeoutSeconds: content.timeoutSeconds,
});

export const toPlanView = (plan: Plan, content: PlanContent): PlanView => ({
  ...toPlanSummaryView(plan),
  ...contentView(content),
});

export const toPlanRevisionView = (revision: PlanRevision): PlanRevisionView => ({
  id: revision.id,
  number: revision.number,
  createdBy: revision.createdBy,
  createdAt: revision.createdAt.toISOString(),
  ...contentView(revision.content),
});

export const toTargetView = (server: Server): TargetView => ({
  id: server.id,
  name: server.name,
  hostKeyFingerprint: server.hostKey?.fingerprint ?? null,
  lastCheckState: server.lastCheck?.state ?? null,
});
