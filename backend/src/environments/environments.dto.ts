import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn, IsInt, Max, Min } from 'class-validator';
import {
  PartialUpdateOf,
  MultilineText,
  IsOptionalField,
  IsNullableField,
  NestedObject,
  RequiredTextLine,
  OptionalBoolean,
  OptionalOneOf,
} from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { ENVIRONMENT_ACCESS, type EnvironmentAccess } from './grant-policy.js';
import { MAX_DELAY_SECONDS, MAX_APPROVALS, MIN_DELAY_SECONDS } from './protection/protection-bounds.js';
import { UNKNOWN_AUTHORS, type UnknownAuthors } from './protection/unknown-authors.js';
import { RunWindowsRequest } from './windows/run-windows.dto.js';

/** In the order of the spec (States and transitions). The executions module decides which modes can be started. */
export const RUN_MODES = ['auto', 'semi_assisted', 'interactive', 'dry_run'] as const;
export type RunMode = (typeof RUN_MODES)[number];

const RUN_MODES_ADVICE = { message: `$property must be a list of ${RUN_MODES.join(', ')}, each once` };

export const OptionalRunModes = () =>
  applyDecorators(
    ApiProperty({ enum: RUN_MODES, isArray: true, required: false, uniqueItems: true }),
    IsIn(RUN_MODES, { each: true, ...RUN_MODES_ADVICE }),
    ArrayUnique(RUN_MODES_ADVICE),
    ArrayMaxSize(RUN_MODES.length, RUN_MODES_ADVICE),
    IsArray(RUN_MODES_ADVICE),
    IsOptionalField(),
  );

/** A minute and 30 days. */
const MIN_TTL_SECONDS = 60;
const MAX_TTL_SECONDS = 2_592_000;
const APPROVALS_ADVICE = { message: `requiredApprovals must be a whole number from 1 to ${MAX_APPROVALS}` };
const APPROVAL_TTL_ADVICE = {
  message: `approvalTtlSeconds must be a whole number of seconds from ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS}`,
};

const PROTECTION_DELAY_ADVICE = {
  message: `protectionDelaySeconds must be a whole number of seconds from ${MIN_DELAY_SECONDS} to ${MAX_DELAY_SECONDS}`,
};

/** A minute and a week. */
const MIN_CHECK_INTERVAL_SECONDS = 60;
const MAX_CHECK_INTERVAL_SECONDS = 604_800;
const CHECK_INTERVAL_ADVICE = {
  message: `checkIntervalSeconds must be null or a whole number of seconds from ${MIN_CHECK_INTERVAL_SECONDS} to ${MAX_CHECK_INTERVAL_SECONDS}`,
};

export class CreateEnvironmentRequest {
  /** @example "staging" */
  @RequiredTextLine(100)
  name: string;

  @IsOptionalField()
  @MultilineText(2000)
  description?: string;

  /**
   * `open`: visible to every member. `restricted`: visible to members with a grant, and admins. Only admins may send
   * it.
   */
  @ApiProperty({ enum: ENVIRONMENT_ACCESS, required: false, example: 'open' })
  @IsOptionalField()
  @IsIn(ENVIRONMENT_ACCESS, { message: 'access must be open or restricted' })
  access?: EnvironmentAccess;

  /** Runs need approval before any host is touched. Only admins may send it. */
  @OptionalBoolean()
  protected?: boolean;

  /** Number of members who must approve; default 1. Only admins may send it. */
  @IsOptionalField()
  @IsInt(APPROVALS_ADVICE)
  @Min(1, APPROVALS_ADVICE)
  @Max(MAX_APPROVALS, APPROVALS_ADVICE)
  requiredApprovals?: number;

  /** Whether the requester of a run may approve it. Only admins may send it. */
  @OptionalBoolean()
  allowSelfApproval?: boolean;

  /**
   * Maximum wait of a run for approval, in seconds. Only admins may send it.
   * @example 86400
   */
  @IsOptionalField()
  @IsInt(APPROVAL_TTL_ADVICE)
  @Min(MIN_TTL_SECONDS, APPROVAL_TTL_ADVICE)
  @Max(MAX_TTL_SECONDS, APPROVAL_TTL_ADVICE)
  approvalTtlSeconds?: number;

  /**
   * Whether runs may start if their git content has commits with unknown authors: no member has the author's e-mail
   * address, or the authors can't be determined. `show` lists them in the evidence of an approval. `refuse` answers 409
   * `unknown_authors`. Only admins may send it.
   */
  @OptionalOneOf(UNKNOWN_AUTHORS)
  unknownAuthors?: UnknownAuthors;

  /**
   * Delay of a change that weakens the protection when no other member can agree to it, in seconds; default one day.
   * Only admins may send it.
   * @example 86400
   */
  @IsOptionalField()
  @IsInt(PROTECTION_DELAY_ADVICE)
  @Min(MIN_DELAY_SECONDS, PROTECTION_DELAY_ADVICE)
  @Max(MAX_DELAY_SECONDS, PROTECTION_DELAY_ADVICE)
  protectionDelaySeconds?: number;

  /** Allowed run modes; empty = all. Only admins may send it. */
  @OptionalRunModes()
  allowedModes?: RunMode[];

  /**
   * Whether hosts keep a journal of commands, for runs that start from now on; default true. Without a journal, the
   * result of a command is unknown when its worker or connection is lost. Only admins may send it.
   */
  @OptionalBoolean()
  hostJournal?: boolean;

  /**
   * Interval between automatic checks of each enabled server, in seconds: host key, login, and facts. Checks are
   * spread, up to a tenth of the interval earlier. Null (default) = no automatic checks. Only admins may send it.
   * @example 900
   */
  @ApiProperty({
    type: 'integer',
    nullable: true,
    required: false,
    minimum: MIN_CHECK_INTERVAL_SECONDS,
    maximum: MAX_CHECK_INTERVAL_SECONDS,
  })
  @IsNullableField()
  @IsInt(CHECK_INTERVAL_ADVICE)
  @Min(MIN_CHECK_INTERVAL_SECONDS, CHECK_INTERVAL_ADVICE)
  @Max(MAX_CHECK_INTERVAL_SECONDS, CHECK_INTERVAL_ADVICE)
  checkIntervalSeconds?: number | null;

  /**
   * Times in which runs may begin. Outside of them, starts are answered with 409 `outside_run_window`, and accepted
   * runs wait until they open. Dry runs are exempt. Null (default) = any time. Only admins may send it.
   */
  @ApiProperty({ type: RunWindowsRequest, nullable: true, required: false })
  @IsNullableField()
  @NestedObject(() => RunWindowsRequest)
  runWindows?: RunWindowsRequest | null;
}

export class UpdateEnvironmentRequest extends PartialUpdateOf(CreateEnvironmentRequest) {
  /**
   * With `protected: true`: confirms its servers as hosts of this environment, although Runward signed in to them for
   * servers of other environments. Runs of those servers no longer reach the hosts. Without it, such a change is
   * refused with 409 `host_proved_elsewhere`. Only admins may send it.
   */
  @OptionalBoolean()
  confirmHosts?: boolean;
}

export class ListEnvironmentsQuery extends NamedListQuery {}
