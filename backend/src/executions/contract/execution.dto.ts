import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsString, Matches } from 'class-validator';
import {
  MultilineText,
  IsOptionalField,
  OptionalInstant,
  OptionalOneOf,
  OptionalWholeNumber,
  IsOneOf,
  RequiredMultilineText,
  RecordId,
  RequiredTextLine,
  OptionalBoolean,
} from '../../common/http/fields.js';
import { VALUE_SCHEMA } from '../../variables/value-schema.js';
import type { VariableValue } from '../../variables/variable-value.js';
import { EXECUTION_MODES, type ExecutionMode, OVERLAP_ACTIONS, type OverlapAction } from '../lifecycle/statuses.js';
import { OptionalLabels } from './run-labels.js';
import { IsVariableMap } from '../../variables/variable-map.js';

/** Maximum length of a step's key in a run, including the keys of its calls and loops. */
export const MAX_RUN_KEY_LENGTH = 1000;

export const IsRunDigest = () =>
  Matches(/^[0-9a-f]{64}$/, { message: '$property must be the digest of a run: 64 hexadecimal characters' });

/** IDs of servers of a run, at most as many as a run has hosts. */
export const OptionalServerIds = () =>
  applyDecorators(
    IsOptionalField(),
    IsArray({ message: '$property must be a list' }),
    ArrayMinSize(1, { message: '$property must contain at least one server, or be omitted' }),
    ArrayMaxSize(10_000, { message: '$property can have at most 10000 items' }),
    IsString({ each: true, message: '$property must be ids of servers' }),
  );

/** Start of a run. */
export class StartExecutionRequest {
  /** Plan to start, as in `GET /api/plans/{id}`. */
  @RecordId()
  planId: string;

  /** @example "auto" */
  @IsOneOf(EXECUTION_MODES)
  execution_mode: ExecutionMode;

  /** Values for the plan's variables, by name. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { RELEASE: '2.4.1' } })
  @IsOptionalField()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /** Environment; default: the plan's own. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /**
   * Selector that further narrows the plan's hosts.
   * @example "name=web-1"
   */
  @IsOptionalField()
  @MultilineText(1000)
  targets?: string;

  /**
   * Digest of a dry run or an earlier run. The start is refused when anything that would run differs from it.
   * @example "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
   */
  @IsOptionalField()
  @IsRunDigest()
  expectedDigest?: string;

  /**
   * `acceptAuthors` of a 409 `author_not_allowed` or of the forecast of a dry run. With it, a person accepts content
   * of the listed members, who may not run in the environment.
   * @example "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
   */
  @IsOptionalField()
  @IsRunDigest()
  acceptAuthors?: string;

  /** Reason for the run, shown in lists. */
  @IsOptionalField()
  @MultilineText(2000)
  note?: string;

  /** Labels to find the run by, such as its pipeline: up to 20 keys with a text each. */
  @OptionalLabels()
  labels?: Record<string, string>;

  /**
   * When another run conflicts: `refuse` answers 409 `run_overlap`; `queue` accepts the run, which waits in the queue
   * and then begins. A dry run needs no guard keys.
   */
  @OptionalOneOf(OVERLAP_ACTIONS)
  onOverlap?: OverlapAction;

  /**
   * Time at which the run begins, at most a year ahead; absent = now. The run is accepted, and requests its approval,
   * at once. If other runs conflict at that time, it ends as CANCELLED, or waits with `onOverlap: queue`.
   */
  @OptionalInstant()
  startAt?: string;

  /**
   * With `onOverlap: queue`: maximum time in the queue, in seconds, after which the run ends as EXPIRED; default: a
   * day.
   */
  @OptionalWholeNumber(60, 604_800)
  queueTimeoutSeconds?: number;

  /**
   * Reason to start despite a freeze of the plan's collection. Only admins can send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @IsOptionalField()
  @RequiredMultilineText(500)
  freezeOverride?: string;

  /**
   * Reason to start outside the run windows of the environment. Only admins can send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @IsOptionalField()
  @RequiredMultilineText(500)
  windowOverride?: string;
}

const RERUN_HOSTS = ['all', 'failed', 'unfinished'] as const;

export class RerunExecutionRequest {
  /**
   * All hosts of the run, failed hosts, or hosts that failed or have steps that never ran. `unfinished` without
   * `fromStepKey` runs only the missing steps on each host.
   * @example "unfinished"
   */
  @IsOneOf(RERUN_HOSTS)
  hosts: (typeof RERUN_HOSTS)[number];

  /** Only these of the hosts; absent = all of them. */
  @OptionalServerIds()
  serverIds?: string[];

  /** Key of the first step to run. Results of earlier steps are inherited. */
  @IsOptionalField()
  @RequiredTextLine(MAX_RUN_KEY_LENGTH)
  fromStepKey?: string;

  /** `same`: the snapshot of the run. `current`: the current plan, variables and servers. */
  @ApiProperty({ enum: ['same', 'current'], example: 'same' })
  @IsIn(['same', 'current'], { message: 'snapshot must be same or current' })
  snapshot: 'same' | 'current';

  /** Absent = the mode of the run. */
  @OptionalOneOf(EXECUTION_MODES)
  execution_mode?: ExecutionMode;

  /** Starts the run even when steps need results that the original run does not have. */
  @OptionalBoolean()
  acceptGaps?: boolean;

  /**
   * `acceptAuthors` of a 409 `author_not_allowed`. With it, a person accepts content of the listed members, who may
   * not run in the environment.
   * @example "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
   */
  @IsOptionalField()
  @IsRunDigest()
  acceptAuthors?: string;

  /** Reason for the run, shown in lists. */
  @IsOptionalField()
  @MultilineText(2000)
  note?: string;

  /** Absent = the labels of the run. */
  @OptionalLabels()
  labels?: Record<string, string>;

  /**
   * When another run conflicts: `refuse` answers 409 `run_overlap`; `queue` accepts the run, which waits in the queue
   * and then begins. A dry run needs no guard keys.
   */
  @OptionalOneOf(OVERLAP_ACTIONS)
  onOverlap?: OverlapAction;

  /**
   * Time at which the run begins, at most a year ahead; absent = now. The run is accepted, and requests its approval,
   * at once. If other runs conflict at that time, it ends as CANCELLED, or waits with `onOverlap: queue`.
   */
  @OptionalInstant()
  startAt?: string;

  /**
   * With `onOverlap: queue`: maximum time in the queue, in seconds, after which the run ends as EXPIRED; default: a
   * day.
   */
  @OptionalWholeNumber(60, 604_800)
  queueTimeoutSeconds?: number;

  /**
   * Reason to start despite a freeze of the plan's collection. Only admins can send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @IsOptionalField()
  @RequiredMultilineText(500)
  freezeOverride?: string;

  /**
   * Reason to start outside the run windows of the environment. Only admins can send it.
   * @example "Hotfix for the outage, agreed with the release team"
   */
  @IsOptionalField()
  @RequiredMultilineText(500)
  windowOverride?: string;
}
