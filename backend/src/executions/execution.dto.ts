import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsISO8601 } from 'class-validator';
import { FreeText, Maybe, QueryInt, QueryList, QueryText, RecordId, Text } from '../common/http/fields.js';
import { PageQuery } from '../common/http/page.dto.js';
import { VALUE_SCHEMA } from '../plans/plans.dto.js';
import type { VariableValue } from '../plans/variables/variable-value.js';
import {
  EXECUTION_MODES,
  EXECUTION_STATUSES,
  type ExecutionMode,
  type ExecutionStatus,
  HOST_STATUSES,
  type HostStatus,
} from './lifecycle/statuses.js';
import { IsVariableMap } from './variable-map.js';

/** The start of a run (spec, Execution start request fields). */
export class StartExecutionRequest {
  @RecordId()
  planId: string;

  @ApiProperty({ enum: EXECUTION_MODES, example: 'auto' })
  @IsIn(EXECUTION_MODES, { message: `execution_mode must be one of ${EXECUTION_MODES.join(', ')}` })
  execution_mode: ExecutionMode;

  /** Values for the plan's variables, by name. */
  @ApiPropertyOptional({ type: 'object', additionalProperties: VALUE_SCHEMA, example: { RELEASE: '2.4.1' } })
  @Maybe()
  @IsVariableMap()
  variables?: Record<string, VariableValue>;

  /** Instead of the plan's own environment. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /**
   * Selector that narrows the plan's hosts further.
   * @example "name=web-1"
   */
  @Maybe()
  @FreeText(1000)
  targets?: string;

  /** Why this run: shown in lists. */
  @Maybe()
  @FreeText(2000)
  note?: string;
}

export class CancelExecutionRequest {
  /** @example "wrong release" */
  @Maybe()
  @Text(2000)
  reason?: string;
}

const WHEN = { strict: true, strictSeparator: true };
const WHEN_ADVICE = { message: '$property must be an ISO 8601 time such as 2026-11-20T08:00:00Z' };

export class ListExecutionsQuery extends PageQuery {
  @QueryText(64)
  planId?: string;

  @QueryText(64)
  environmentId?: string;

  @QueryText(64)
  serverId?: string;

  @QueryText(64)
  startedById?: string;

  /** May be given several times. */
  @QueryList(EXECUTION_STATUSES)
  status?: ExecutionStatus[];

  @ApiProperty({ enum: EXECUTION_MODES, required: false })
  @Maybe()
  @IsIn(EXECUTION_MODES, { message: `execution_mode must be one of ${EXECUTION_MODES.join(', ')}` })
  execution_mode?: ExecutionMode;

  /** Started at or after. */
  @Maybe()
  @IsISO8601(WHEN, WHEN_ADVICE)
  from?: string;

  /** Started before. */
  @Maybe()
  @IsISO8601(WHEN, WHEN_ADVICE)
  to?: string;
}

export class GetExecutionQuery {
  /** Wait up to so many seconds for what `until` names, then answer. */
  @QueryInt(0, 55)
  wait?: number;

  /** `settled`: the run is finished or paused. `change`: its version exceeds `version`. */
  @ApiProperty({ enum: ['settled', 'change'], required: false })
  @Maybe()
  @IsIn(['settled', 'change'], { message: 'until must be settled or change' })
  until?: 'settled' | 'change';

  @QueryInt(0, 999_999_999)
  version?: number;

  /** Where to go on in the hosts: `hostsNextCursor` of the answer before. */
  @QueryText(500)
  hostsCursor?: string;
}

export class ListResultsQuery extends PageQuery {
  @QueryText(64)
  stepKey?: string;

  @QueryText(64)
  serverId?: string;

  @QueryList(HOST_STATUSES)
  status?: HostStatus[];
}

export class ListOutputQuery {
  @QueryText(64)
  stepKey?: string;

  @QueryText(64)
  serverId?: string;

  @ApiProperty({ enum: ['stdout', 'stderr'], required: false })
  @Maybe()
  @IsIn(['stdout', 'stderr'], { message: 'stream must be stdout or stderr' })
  stream?: 'stdout' | 'stderr';

  /** Only lines that hold this text, upper and lower case alike. */
  @QueryText(200)
  q?: string;

  /** Where to go on: the `nextAfter` of the answer before. */
  @QueryText(500)
  after?: string;

  /** How many lines at the most. */
  @QueryInt(1, 5000)
  limit?: number;
}

export class StreamQuery {
  /** Id of the last event that was seen; the header `Last-Event-ID` goes before it. */
  @QueryInt(0, 999_999_999)
  after?: number;
}
