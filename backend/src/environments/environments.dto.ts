import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsIn, IsInt, Max, Min } from 'class-validator';
import { ChangeOf, FreeText, Maybe, MaybeNull, Nested, Text, YesNo, MaybeOneOf } from '../common/http/fields.js';
import { NamedListQuery } from '../common/http/paging/page.dto.js';
import { ENVIRONMENT_ACCESS, type EnvironmentAccess } from './grant-policy.js';
import { LONGEST_DELAY, MOST_APPROVALS, SHORTEST_DELAY } from './protection/protection-bounds.js';
import { UNKNOWN_AUTHORS, type UnknownAuthors } from './protection/unknown-authors.js';
import { RunWindowsRequest } from './windows/run-windows.dto.js';

/** Run modes as the spec names them (States and transitions); which of them can be started is up to the runs' room. */
export const RUN_MODES = ['auto', 'semi_assisted', 'interactive', 'dry_run'] as const;
export type RunMode = (typeof RUN_MODES)[number];

const MODES_ADVICE = { message: `$property must be a list of ${RUN_MODES.join(', ')}, each once` };

/** Run modes, each once; optional. */
export const AllowedModes = () =>
  applyDecorators(
    ApiProperty({ enum: RUN_MODES, isArray: true, required: false, uniqueItems: true }),
    IsIn(RUN_MODES, { each: true, ...MODES_ADVICE }),
    ArrayUnique(MODES_ADVICE),
    ArrayMaxSize(RUN_MODES.length, MODES_ADVICE),
    IsArray(MODES_ADVICE),
    Maybe(),
  );

/** Seconds: a minute, and 30 days. */
const SHORTEST_TTL = 60;
const LONGEST_TTL = 2_592_000;
const APPROVALS_ADVICE = { message: `requiredApprovals must be a whole number from 1 to ${MOST_APPROVALS}` };
const TTL_ADVICE = {
  message: `approvalTtlSeconds must be a whole number of seconds from ${SHORTEST_TTL} to ${LONGEST_TTL}`,
};

const DELAY_ADVICE = {
  message: `protectionDelaySeconds must be a whole number of seconds from ${SHORTEST_DELAY} to ${LONGEST_DELAY}`,
};

/** Seconds: a minute, and a week. */
const SHORTEST_CHECK = 60;
const LONGEST_CHECK = 604_800;
const CHECK_ADVICE = {
  message: `checkIntervalSeconds must be null or a whole number of seconds from ${SHORTEST_CHECK} to ${LONGEST_CHECK}`,
};

/** Fields that only admins may send: they decide who gets in, past what, what a run leaves on hosts, and what happens there by itself. */
export const ADMIN_FIELDS = [
  'access',
  'protected',
  'requiredApprovals',
  'allowSelfApproval',
  'approvalTtlSeconds',
  'unknownAuthors',
  'protectionDelaySeconds',
  'allowedModes',
  'hostJournal',
  'checkIntervalSeconds',
  'runWindows',
] as const;

export class CreateEnvironmentRequest {
  /** @example "staging" */
  @Text(100)
  name: string;

  @Maybe()
  @FreeText(2000)
  description?: string;

  /** `open`: every member sees it. `restricted`: members with a grant, and admins. Admins may send it. */
  @ApiProperty({ enum: ENVIRONMENT_ACCESS, required: false, example: 'open' })
  @Maybe()
  @IsIn(ENVIRONMENT_ACCESS, { message: 'access must be open or restricted' })
  access?: EnvironmentAccess;

  /** Runs need approval before any host is touched. Admins may send it. */
  @YesNo()
  protected?: boolean;

  /** How many members must approve; 1 for a new environment unless given. Admins may send it. */
  @Maybe()
  @IsInt(APPROVALS_ADVICE)
  @Min(1, APPROVALS_ADVICE)
  @Max(MOST_APPROVALS, APPROVALS_ADVICE)
  requiredApprovals?: number;

  /** Whether who started a run may approve it. Admins may send it. */
  @YesNo()
  allowSelfApproval?: boolean;

  /**
   * How long a run waits for approval, in seconds. Admins may send it.
   * @example 86400
   */
  @Maybe()
  @IsInt(TTL_ADVICE)
  @Min(SHORTEST_TTL, TTL_ADVICE)
  @Max(LONGEST_TTL, TTL_ADVICE)
  approvalTtlSeconds?: number;

  /**
   * Whether runs start whose git content has commits of authors that no member's e-mail address names, or whose authors
   * can't be determined: `show` names them in the evidence of an approval, `refuse` answers 409 `unknown_authors`. Admins may send it.
   */
  @MaybeOneOf(UNKNOWN_AUTHORS)
  unknownAuthors?: UnknownAuthors;

  /**
   * How long a change that weakens the protection waits where no other member may agree to it, in seconds; a day for a new
   * environment unless given. Admins may send it.
   * @example 86400
   */
  @Maybe()
  @IsInt(DELAY_ADVICE)
  @Min(SHORTEST_DELAY, DELAY_ADVICE)
  @Max(LONGEST_DELAY, DELAY_ADVICE)
  protectionDelaySeconds?: number;

  /** Modes that a start may use here; empty: all. Admins may send it. */
  @AllowedModes()
  allowedModes?: RunMode[];

  /**
   * Whether hosts keep a journal of the commands of runs that start from now on; true for a new environment unless given.
   * Without it the result of a command whose worker or connection was lost is unknown. Admins may send it.
   */
  @YesNo()
  hostJournal?: boolean;

  /**
   * How often each enabled server is checked by itself, in seconds: its host key, the login, and the facts of the host. Each
   * has a time of its own, up to a tenth earlier. Null, as for a new environment: never. Admins may send it.
   * @example 900
   */
  @ApiProperty({ type: 'integer', nullable: true, required: false, minimum: SHORTEST_CHECK, maximum: LONGEST_CHECK })
  @MaybeNull()
  @IsInt(CHECK_ADVICE)
  @Min(SHORTEST_CHECK, CHECK_ADVICE)
  @Max(LONGEST_CHECK, CHECK_ADVICE)
  checkIntervalSeconds?: number | null;

  /**
   * When runs may begin here. Outside of them starts are answered with 409 `outside_run_window`, and runs that were accepted
   * before wait until they open; dry runs are free. Null, as for a new environment: at any time. Admins may send it.
   */
  @ApiProperty({ type: RunWindowsRequest, nullable: true, required: false })
  @MaybeNull()
  @Nested(() => RunWindowsRequest)
  runWindows?: RunWindowsRequest | null;
}

export class UpdateEnvironmentRequest extends ChangeOf(CreateEnvironmentRequest) {
  /**
   * With `protected: true`: confirms that its servers are hosts of this environment although Runward signed in to them for
   * servers of other environments, whose runs no longer reach them. Without it that is refused with 409
   * `host_proved_elsewhere`. Admins may send it.
   */
  @YesNo()
  confirmHosts?: boolean;
}

export class ListEnvironmentsQuery extends NamedListQuery {}
