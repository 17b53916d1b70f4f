import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { UserReference } from '../common/http/user-reference.view.js';
import { Reason } from '../common/http/reason.view.js';
import type { ActiveFreeze } from '../collections/collection-reader.js';
import { ActiveFreezeView, toActiveFreezeView } from '../collections/collections.view.js';
import { RevisionMessageView } from '../revisions/revisions.view.js';
import type { TargetServer } from '../inventory/run-targets.reader.js';
import type { Plan, PlanRevision, RevisionOrigin } from './records/plan.entity.js';
import { FAILURE_POLICIES, type FailurePolicy } from './steps/fields/step-base.js';
import { type PlanContent, readPlanContent, STRATEGIES, type Strategy } from './steps/plan-content.js';
import { PlanStepView, toPlanStepView } from './steps/plan-step.view.js';
import { RUN_MODES } from '../environments/environments.dto.js';
import { VALUE_SCHEMA } from '../variables/value-schema.js';
import { VARIABLE_TYPES, type VariableType, type VariableValue } from '../variables/variable-value.js';

export class PlanVariableView {
  /**
   * Name in `{{ }}` and of the environment variable of commands; unique in the plan.
   * @example "RELEASE"
   */
  name: string;
  /** Type that a value must have. `secret` = a text that is stored encrypted; `choice` = one of `choices`. */
  @ApiProperty({ enum: VARIABLE_TYPES })
  type: VariableType;
  required: boolean;
  /** Value without another one from the start, environment or server; absent = none. */
  @ApiProperty({ ...VALUE_SCHEMA, required: false })
  default?: VariableValue;
  choices?: string[];
  pattern?: string;
  description?: string;
}

/** File of a git source that the plan comes from. The plan can only be changed there. */
export class PlanOriginView {
  gitSourceId: string;
  /** Path from the root of the repository. */
  path: string;
  /** Commit that last changed it. */
  commit: string;
}

/** File of a git source that the revision was saved from. */
export class RevisionOriginView extends PlanOriginView {
  /** Name of the source at that time. */
  sourceName: string;
}

export class PlanSummaryView {
  id: string;
  /** @example "Restart web" */
  name: string;
  description: string;
  /** Default environment of a start; null = none. */
  @ApiProperty({ type: String, nullable: true })
  environmentId: string | null;
  /** Null = no collection. */
  @ApiProperty({ type: String, nullable: true })
  collectionId: string | null;
  /** Freeze that refuses its starts now; null = none. */
  @ApiProperty({ type: ActiveFreezeView, nullable: true })
  frozenBy: ActiveFreezeView | null;
  /** Null = not from a git source. */
  @ApiProperty({ type: PlanOriginView, nullable: true })
  origin: PlanOriginView | null;
  /** Number of the latest revision, from 1. */
  revision: number;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** Content of one revision of a plan. */
export class PlanContentView {
  /** Selector of the environment's servers; empty = all. */
  targets: string;
  /** Variables that the plan declares, in its order. */
  @ApiProperty({ type: [PlanVariableView] })
  variables: PlanVariableView[];
  /** Steps in their order. */
  @ApiProperty({ type: [PlanStepView] })
  steps: PlanStepView[];
  /** Maximum duration of a run, in seconds; null = no limit of the plan. */
  @ApiProperty({ type: Number, nullable: true })
  timeoutSeconds: number | null;
  /** Percentage of a step's hosts that may fail. */
  maxFailPercent: number;
  /** Whether a run continues after a failed step. */
  @ApiProperty({ enum: FAILURE_POLICIES })
  onFailure: FailurePolicy;
  /**
   * `barrier`: a step begins when every host has a result of the previous step. `free`: each host continues
   * independently.
   */
  @ApiProperty({ enum: STRATEGIES })
  strategy: Strategy;
  /** Whether several runs of the plan can run in one environment at a time if they share no host. */
  parallelSafe: boolean;
  /** Named locks, each held by only one run at a time, of any plan. */
  locks: string[];
  /** Modes that a start can use; empty = all. */
  @ApiProperty({ enum: RUN_MODES, isArray: true })
  allowedModes: string[];
}

/** A likely mistake in a plan. The plan can still be saved and run. */
export class PlanWarningView {
  /**
   * JSON pointer into the plan.
   * @example "/steps/0/interpreter"
   */
  path: string;
  reason: Reason;
}

export class PlanView extends IntersectionType(PlanSummaryView, PlanContentView) {
  /** Steps whose `interpreter` contradicts line 1 of their script. */
  @ApiProperty({ type: [PlanWarningView] })
  warnings: PlanWarningView[];
}

export class PlanListView {
  items: PlanSummaryView[];
  nextCursor: string | null;
}

/** Number, author and message of a revision. */
export class PlanRevisionHeadView extends RevisionMessageView {
  id: string;
  /** Number of the revision of the plan, from 1. */
  number: number;
  /** Null = the member was removed, or a sync of a git source saved it whose commit matches no member. */
  @ApiProperty({ type: UserReference, nullable: true })
  createdBy: UserReference | null;
  /** Null = saved by a member. */
  @ApiProperty({ type: RevisionOriginView, nullable: true })
  origin: RevisionOriginView | null;
  createdAt: string;
}

export class PlanRevisionView extends IntersectionType(PlanRevisionHeadView, PlanContentView) {}

export class PlanRevisionListView {
  items: PlanRevisionView[];
  nextCursor: string | null;
}

const RESOLVED_FROM = ['plan', 'environment', 'server'] as const;

/** A value that another value overrides. */
export class OverriddenValueView {
  /** Source of the overridden value. */
  @ApiProperty({ enum: RESOLVED_FROM })
  source: (typeof RESOLVED_FROM)[number];
  /** Null for a secret. */
  @ApiProperty({ ...VALUE_SCHEMA, nullable: true })
  value: VariableValue | null;
}

/** A value of a server. */
export class ServerValueView {
  serverId: string;
  /** @example "web-1" */
  serverName: string;
  /** Null for a secret. */
  @ApiProperty({ ...VALUE_SCHEMA, nullable: true })
  value: VariableValue | null;
  secret: boolean;
  /** Why a start on that server would be refused; null = it would not. Secret values are not validated here. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

/** Value that a start would use unless it sends its own. */
export class ResolvedVariableView {
  /**
   * Name in `{{ }}` and of the environment variable of commands.
   * @example "RELEASE"
   */
  name: string;
  /** Type in the plan; null for variables that only the environment or servers have. */
  @ApiProperty({ enum: VARIABLE_TYPES, nullable: true })
  type: VariableType | null;
  /** The plan declares it, so `{{ }}` can use it. Otherwise it is only exported to commands. */
  declared: boolean;
  /** True = a start without a value is refused. */
  required: boolean;
  secret: boolean;
  /** Null for a secret, and without a value. */
  @ApiProperty({ ...VALUE_SCHEMA, nullable: true })
  value: VariableValue | null;
  /** Source of the value; null = no value. `server` only in a preview for one server. */
  @ApiProperty({ enum: RESOLVED_FROM, nullable: true })
  source: (typeof RESOLVED_FROM)[number] | null;
  /** Overridden values, in descending precedence. */
  @ApiProperty({ type: [OverriddenValueView] })
  overrides: OverriddenValueView[];
  /**
   * Why a start would be refused unless it sends another value; null = it would not. Secret values are not validated
   * here.
   */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Number of enabled servers of the environment that override it; 0 in a preview for one server. */
  serverCount: number;
  /** The first 20 of these servers, by name. */
  @ApiProperty({ type: [ServerValueView] })
  servers: ServerValueView[];
}

export class PlanVariablesView {
  /** Environment whose values are included; null = none. */
  @ApiProperty({ type: String, nullable: true })
  environmentId: string | null;
  /** Server whose values are included; null = only values common to all servers of the environment. */
  @ApiProperty({ type: String, nullable: true })
  serverId: string | null;
  /** Variables of the plan, environment and server, by name. */
  @ApiProperty({ type: [ResolvedVariableView] })
  items: ResolvedVariableView[];
}

/** A server that a run would use. */
export class TargetView {
  id: string;
  name: string;
  /** Null = no accepted host key: a run would stop there. */
  @ApiProperty({ type: String, nullable: true })
  hostKeyFingerprint: string | null;
  /** Finding of the last check, run or host key acceptance; null = unchecked. */
  @ApiProperty({ type: String, nullable: true })
  lastCheckState: string | null;
}

export class SameMachineView {
  @ApiProperty({ example: 'web-1' })
  name: string;
  /** Another host with the same host key and login. */
  @ApiProperty({ example: 'www' })
  sameAs: string;
}

export class TargetsPreviewView {
  /** Number of hosts, listed or not. */
  count: number;
  /** The first 200. */
  @ApiProperty({ type: [TargetView] })
  servers: TargetView[];
  /** Number of hosts of each step. */
  @ApiProperty({ type: 'object', additionalProperties: { type: 'number' }, example: { restart: 2 } })
  stepCounts: Record<string, number>;
  /**
   * Number of hosts that are the same machine as another host, by a pinned host key. A start is refused if there is
   * any.
   */
  sameMachineCount: number;
  /** The first 20 of these hosts. */
  @ApiProperty({ type: [SameMachineView] })
  sameMachines: SameMachineView[];
}

const toPlanOriginView = ({ gitSourceId, gitPath, gitCommit }: Plan): PlanOriginView | null =>
  gitSourceId === null || gitPath === null || gitCommit === null
    ? null
    : { gitSourceId, path: gitPath, commit: gitCommit };

export const toPlanSummaryView = (plan: Plan, freeze: ActiveFreeze | null): PlanSummaryView => ({
  id: plan.id,
  name: plan.name,
  description: plan.description,
  environmentId: plan.environmentId,
  collectionId: plan.collectionId,
  frozenBy: freeze && toActiveFreezeView(freeze),
  origin: toPlanOriginView(plan),
  revision: plan.revision,
  createdAt: plan.createdAt.toISOString(),
  updatedAt: plan.updatedAt.toISOString(),
  version: plan.version,
});

export const toPlanContentView = (content: PlanContent): PlanContentView => ({
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
  steps: content.steps.map(toPlanStepView),
  timeoutSeconds: content.timeoutSeconds,
  maxFailPercent: content.maxFailPercent,
  onFailure: content.onFailure,
  strategy: content.strategy,
  parallelSafe: content.parallelSafe,
  locks: content.locks,
  allowedModes: content.allowedModes,
});

/** Plan without values that depend on its scripts; for the audit trail. */
export const toPlanRecordView = (
  plan: Plan,
  content: PlanContent,
  freeze: ActiveFreeze | null,
): Omit<PlanView, 'warnings'> => ({
  ...toPlanSummaryView(plan, freeze),
  ...toPlanContentView(content),
});

/** Actor name for saves by a sync of a git source. */
export const toSyncName = ({ sourceName }: Pick<RevisionOrigin, 'sourceName'>): string => `sync of ${sourceName}`;

function toAuthor({ createdBy: id }: PlanRevision, authors: ReadonlyMap<string, string>): UserReference | null {
  const name = id === null ? undefined : authors.get(id);
  return id === null || name === undefined ? null : { id, name };
}

/** @param authors names of members, by ID */
export const toPlanRevisionHeadView = (
  revision: PlanRevision,
  authors: ReadonlyMap<string, string>,
): PlanRevisionHeadView => ({
  id: revision.id,
  number: revision.number,
  createdBy: toAuthor(revision, authors),
  origin: revision.gitOrigin && {
    gitSourceId: revision.gitOrigin.gitSourceId,
    sourceName: revision.gitOrigin.sourceName,
    path: revision.gitOrigin.path,
    commit: revision.gitOrigin.commit,
  },
  createdAt: revision.createdAt.toISOString(),
  message: revision.message,
});

/** @param authors names of members, by ID */
export const toPlanRevisionView = (revision: PlanRevision, authors: ReadonlyMap<string, string>): PlanRevisionView => ({
  ...toPlanRevisionHeadView(revision, authors),
  ...toPlanContentView(readPlanContent(revision.content)),
});

export const toTargetView = (server: TargetServer): TargetView => ({
  id: server.id,
  name: server.name,
  hostKeyFingerprint: server.hostKey?.fingerprint ?? null,
  lastCheckState: server.state === 'unchecked' ? null : server.state,
});
