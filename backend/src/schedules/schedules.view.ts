import { ApiProperty } from '@nestjs/swagger';
import { isNarrowed } from '../common/access/caller-limits.js';
import { VALUE_SCHEMA } from '../common/variables/value-schema.js';
import type { VariableValue } from '../common/variables/variable-value.js';
import { LABEL_MAP_SCHEMA } from '../executions/contract/run-labels.js';
import { EXECUTION_MODES, type ExecutionMode } from '../executions/lifecycle/statuses.js';
import {
  FIRE_OUTCOMES,
  type FireOutcome,
  ON_OVERLAP,
  type OnOverlap,
  type Schedule,
} from './records/schedule.entity.js';
import { delayMs, ON_MISSED, type OnMissed } from './timing/due-work.js';
import { nextTimes } from './timing/timing.js';

/** How many of the next times are told. */
export const TIMES_TOLD = 10;

/** Whose rights it runs with. */
export class ScheduleOwnerView {
  /** Null: the member was removed. */
  @ApiProperty({ type: String, nullable: true })
  id: string | null;
  name: string;
  /** It runs with less than these rights: it was saved, resumed or taken over with a token that is narrowed. */
  narrowed: boolean;
}

/** What came of a time. */
export class LastFireView {
  /** The time that was asked for. */
  at: string;
  @ApiProperty({ enum: FIRE_OUTCOMES })
  outcome: FireOutcome;
  /** The run that it started, or that waits for its turn; null: none. */
  @ApiProperty({ type: String, nullable: true })
  executionId: string | null;
  /**
   * Code of why nothing was started, that of the refused start where one was; null: it was.
   * @example "run_overlap"
   */
  @ApiProperty({ type: String, nullable: true })
  code: string | null;
  /** The same for people. */
  @ApiProperty({ type: String, nullable: true })
  reason: string | null;
}

export class ScheduleFireView extends LastFireView {
  id: string;
  /** When a worker came to it. */
  firedAt: string;
  /** The run that was in the way; null: none, or one of another environment. */
  @ApiProperty({ type: String, nullable: true })
  blockedBy: string | null;
  /** Earlier times that had come too, and at which nothing was started; at most 1,000 are counted. */
  missed: number;
}

export class ScheduleFireListView {
  items: ScheduleFireView[];
  nextCursor: string | null;
}

export class ScheduleSummaryView {
  id: string;
  name: string;
  @ApiProperty({ type: String, nullable: true })
  note: string | null;
  planId: string;
  planName: string;
  environmentId: string;
  environmentName: string;
  @ApiProperty({ enum: EXECUTION_MODES })
  execution_mode: ExecutionMode;
  /** Secret ones are masked. */
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  targets: string;
  @ApiProperty(LABEL_MAP_SCHEMA)
  labels: Record<string, string>;
  /** Null: at intervals. */
  @ApiProperty({ type: String, nullable: true })
  cron: string | null;
  /** Null: by `cron`. */
  @ApiProperty({ type: 'integer', nullable: true })
  everySeconds: number | null;
  /** @example "Europe/Berlin" */
  timeZone: string;
  jitterSeconds: number;
  /** By how much later than asked for it starts: its share of the jitter. */
  delaySeconds: number;
  @ApiProperty({ enum: ON_OVERLAP })
  onOverlap: OnOverlap;
  @ApiProperty({ enum: ON_MISSED })
  onMissed: OnMissed;
  enabled: boolean;
  /** Null: it is not paused, or nobody said why. */
  @ApiProperty({ type: String, nullable: true })
  pausedReason: string | null;
  /** Null: it is not paused. */
  @ApiProperty({ type: String, nullable: true })
  pausedByName: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  pausedAt: string | null;
  /** With whose rights it runs, as they are at each time. */
  owner: ScheduleOwnerView;
  /** The next time; null: it is paused, or none is left. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  nextAt: string | null;
  /** Null: no time has come yet. */
  @ApiProperty({ type: LastFireView, nullable: true })
  lastFire: LastFireView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class ScheduleView extends ScheduleSummaryView {
  /** The next ten times; none while it is paused. */
  @ApiProperty({ type: [String] })
  nextTimes: string[];
}

export class ScheduleListView {
  items: ScheduleSummaryView[];
  nextCursor: string | null;
}

export class SchedulePreviewView {
  /** The next ten times; fewer when there are no more. */
  @ApiProperty({ type: [String] })
  nextTimes: string[];
  /** @example "Europe/Berlin" */
  timeZone: string;
  /** What other cron programs read otherwise in the expression. */
  @ApiProperty({ type: [String] })
  warnings: string[];
}

/** Names that a schedule's ids stand for. */
export interface ScheduleNames {
  plans: ReadonlyMap<string, string>;
  environments: ReadonlyMap<string, string>;
}

/** How a secret value reads, as in runs. */
export const maskOf = (name: string): string => `‹secret ${name}›`;

export const toScheduleSummary = (schedule: Schedule, { plans, environments }: ScheduleNames): ScheduleSummaryView => ({
  id: schedule.id,
  name: schedule.name,
  note: schedule.note,
  planId: schedule.planId,
  planName: plans.get(schedule.planId) ?? '',
  environmentId: schedule.environmentId,
  environmentName: environments.get(schedule.environmentId) ?? '',
  execution_mode: schedule.executionMode,
  variables: { ...schedule.variables, ...Object.fromEntries(schedule.secretNames.map((name) => [name, maskOf(name)])) },
  targets: schedule.targets,
  labels: schedule.labels,
  cron: schedule.cron,
  everySeconds: schedule.everySeconds,
  timeZone: schedule.timeZone,
  jitterSeconds: schedule.jitterSeconds,
  delaySeconds: Math.floor(delayMs(schedule) / 1000),
  onOverlap: schedule.onOverlap,
  onMissed: schedule.onMissed,
  enabled: schedule.enabled,
  pausedReason: schedule.pausedReason,
  pausedByName: schedule.pausedByName,
  pausedAt: schedule.pausedAt?.toISOString() ?? null,
  owner: { id: schedule.ownerId, name: schedule.ownerName, narrowed: isNarrowed(schedule.ownerLimits) },
  nextAt: schedule.enabled ? (schedule.nextAt?.toISOString() ?? null) : null,
  lastFire: lastFireOf(schedule),
  createdAt: schedule.createdAt.toISOString(),
  updatedAt: schedule.updatedAt.toISOString(),
  version: schedule.version,
});

const lastFireOf = ({ lastAt, lastOutcome, lastCode, lastText, lastExecutionId }: Schedule): LastFireView | null =>
  lastAt && lastOutcome
    ? {
        at: lastAt.toISOString(),
        outcome: lastOutcome,
        executionId: lastExecutionId,
        code: lastCode,
        reason: lastText,
      }
    : null;

export const toScheduleView = (schedule: Schedule, names: ScheduleNames): ScheduleView => ({
  ...toScheduleSummary(schedule, names),
  nextTimes: timesOf(schedule).map((time) => time.toISOString()),
});

function timesOf(schedule: Schedule): Date[] {
  if (!schedule.enabled || !schedule.nextAt) return [];
  return [schedule.nextAt, ...nextTimes(schedule, schedule.nextAt, TIMES_TOLD - 1)];
}
