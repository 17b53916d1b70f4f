import { ApiProperty } from '@nestjs/swagger';
import { Reason, toReason } from '../common/http/reason.view.js';
import { toUserReference, UserReference } from '../common/http/user-reference.view.js';
import { isLimitedToRecords } from '../common/access/caller-limits.js';
import { VALUE_SCHEMA } from '../variables/value-schema.js';
import type { VariableValue } from '../variables/variable-value.js';
import { LABEL_MAP_SCHEMA } from '../executions/contract/run-labels.js';
import {
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
} from '../executions/lifecycle/statuses.js';
import {
  FIRE_OUTCOMES,
  type FireOutcome,
  ON_OVERLAP,
  type OnOverlap,
  type Schedule,
} from './records/schedule.entity.js';
import { computeDelayMs, ON_MISSED, type OnMissed } from './timing/due-work.js';
import { nextTimes } from './timing/timing.js';

export const LISTED_TIMES = 10;

/** Member whose rights the runs use. */
export class ScheduleOwnerView extends UserReference {
  /**
   * The runs have fewer rights than the owner: the schedule was saved, resumed or taken over with a token of limited
   * scope.
   */
  narrowed: boolean;
}

/** Result of one time of a schedule. */
export class LastFireView {
  /** Scheduled time. */
  at: string;
  @ApiProperty({ enum: FIRE_OUTCOMES })
  outcome: FireOutcome;
  /** Run that it started, or that waits in the queue; null = none. */
  @ApiProperty({ type: String, nullable: true })
  executionId: string | null;
  /** Current status of that run; null = no run, or one that was deleted or is not visible to the caller. */
  @ApiProperty({ enum: EXECUTION_STATUSES, nullable: true })
  executionStatus: ExecutionStatus | null;
  /** Null = a run was started. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

export class ScheduleFireView extends LastFireView {
  id: string;
  /** Time when a worker processed it. */
  firedAt: string;
  /** Conflicting run; null = none, or a run of another environment. */
  @ApiProperty({ type: String, nullable: true })
  blockedBy: string | null;
  /** Number of earlier times that were missed, counted up to 1,000. */
  missed: number;
}

export class ScheduleFireListView {
  items: ScheduleFireView[];
  nextCursor: string | null;
}

/** Pause of a schedule. */
export class SchedulePauseView {
  at: string;
  /** Null = Runward, or unknown. */
  @ApiProperty({ type: UserReference, nullable: true })
  by: UserReference | null;
  /** Code `person`: a member paused it, and `text` is the `pausedReason` of the request. */
  reason: Reason;
}

export class ScheduleSummaryView {
  id: string;
  name: string;
  /** Note, shown with the schedule and its runs; null = none. */
  @ApiProperty({ type: String, nullable: true })
  note: string | null;
  planId: string;
  /** Current name of the plan. */
  planName: string;
  /** Environment of its runs, as in `GET /api/environments/{id}`. */
  environmentId: string;
  environmentName: string;
  @ApiProperty({ enum: EXECUTION_MODES })
  execution_mode: ExecutionMode;
  /** Values of the variables; secrets are masked. */
  @ApiProperty({ type: 'object', additionalProperties: VALUE_SCHEMA })
  variables: Record<string, VariableValue>;
  targets: string;
  @ApiProperty(LABEL_MAP_SCHEMA)
  labels: Record<string, string>;
  /** Cron expression; null = `everySeconds` is used. */
  @ApiProperty({ type: String, nullable: true })
  cron: string | null;
  /** Interval in seconds; null = `cron` is used. */
  @ApiProperty({ type: 'integer', nullable: true })
  everySeconds: number | null;
  /**
   * Time zone of `cron`, as in the IANA time zone database.
   * @example "Europe/Berlin"
   */
  timeZone: string;
  jitterSeconds: number;
  /** Fixed delay of its starts within the jitter, in seconds. */
  delaySeconds: number;
  @ApiProperty({ enum: ON_OVERLAP })
  onOverlap: OnOverlap;
  @ApiProperty({ enum: ON_MISSED })
  onMissed: OnMissed;
  /** False = the schedule is paused. */
  enabled: boolean;
  /** Null = not paused. */
  @ApiProperty({ type: SchedulePauseView, nullable: true })
  paused: SchedulePauseView | null;
  /** Member whose rights, at the time of each start, the runs use; null = the member was removed. */
  @ApiProperty({ type: ScheduleOwnerView, nullable: true })
  owner: ScheduleOwnerView | null;
  /** Next time; null = paused, or none left. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  nextAt: string | null;
  /** Result of the last time; null = none yet. */
  @ApiProperty({ type: LastFireView, nullable: true })
  lastFire: LastFireView | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export class ScheduleView extends ScheduleSummaryView {
  /** The next ten times; empty while paused. */
  @ApiProperty({ type: [String] })
  nextTimes: string[];
}

export class ScheduleListView {
  items: ScheduleSummaryView[];
  nextCursor: string | null;
}

export class SchedulePreviewView {
  /** The next ten times, or fewer when none follow. */
  @ApiProperty({ type: [String] })
  nextTimes: string[];
  /** @example "Europe/Berlin" */
  timeZone: string;
  /** Parts of the expression that other cron programs read differently. */
  @ApiProperty({ type: [String] })
  warnings: string[];
}

export interface ScheduleNames {
  plans: ReadonlyMap<string, string>;
  environments: ReadonlyMap<string, string>;
}

/** Same mask as in runs. */
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
  delaySeconds: Math.floor(computeDelayMs(schedule) / 1000),
  onOverlap: schedule.onOverlap,
  onMissed: schedule.onMissed,
  enabled: schedule.enabled,
  paused: toPauseView(schedule),
  owner:
    schedule.ownerId === null
      ? null
      : { id: schedule.ownerId, name: schedule.ownerName, narrowed: isLimitedToRecords(schedule.ownerLimits) },
  nextAt: schedule.enabled ? (schedule.nextAt?.toISOString() ?? null) : null,
  lastFire: toLastFireView(schedule),
  createdAt: schedule.createdAt.toISOString(),
  updatedAt: schedule.updatedAt.toISOString(),
  version: schedule.version,
});

const toPauseView = (schedule: Schedule): SchedulePauseView | null =>
  schedule.enabled
    ? null
    : {
        at: (schedule.pausedAt ?? schedule.updatedAt).toISOString(),
        by: toUserReference(schedule.pausedBy, schedule.pausedByName),
        reason: { code: schedule.pausedCode ?? 'person', text: schedule.pausedReason ?? 'No reason given.' },
      };

const toLastFireView = ({ lastAt, lastOutcome, lastCode, lastText, lastExecutionId }: Schedule): LastFireView | null =>
  lastAt && lastOutcome
    ? {
        at: lastAt.toISOString(),
        outcome: lastOutcome,
        executionId: lastExecutionId,
        executionStatus: null,
        reason: toReason(lastCode, lastText),
      }
    : null;

export const toScheduleView = (schedule: Schedule, names: ScheduleNames): ScheduleView => ({
  ...toScheduleSummary(schedule, names),
  nextTimes: computeNextTimes(schedule).map((time) => time.toISOString()),
});

function computeNextTimes(schedule: Schedule): Date[] {
  if (!schedule.enabled || !schedule.nextAt) return [];
  return [schedule.nextAt, ...nextTimes(schedule, schedule.nextAt, LISTED_TIMES - 1)];
}
