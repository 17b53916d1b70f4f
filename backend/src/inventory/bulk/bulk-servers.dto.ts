import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import {
  IsText,
  MultilineText,
  IsOptionalField,
  OptionalOneOf,
  NestedObject,
  IsOneOf,
  RecordId,
  OptionalBoolean,
} from '../../common/http/fields.js';
import { IsIntegerSetting } from '../fields/integer-setting.js';
import { ConfirmHosts } from '../fields/confirm-hosts.js';
import { IsTagMap, TAG_MAP_SCHEMA } from '../fields/tags.js';
import { PROTECTION_STATES, type ProtectionState } from '../machines/protection-state.js';
import { SERVER_STATES, type ServerState } from '../fields/server.entity.js';

/** Maximum number of servers per request. */
export const MAX_CHANGED_SERVERS = 10_000;
const MAX_REMOVED_SERVERS = 50;
const EXPECTED_COUNT_MESSAGE = `expectedCount must be a whole number from 0 to ${MAX_CHANGED_SERVERS}`;

export const BULK_ACTIONS = ['change', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** Filters of the list of servers. Empty: all servers that the caller can see. */
export class BulkFilterRequest {
  /** Only servers of this environment; absent = all environments. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /**
   * Label selector over tags and names.
   * @example "role=web,region in (eu, us)"
   */
  @IsOptionalField()
  @MultilineText(1000)
  selector?: string;

  /** Part of the name or host name. */
  @IsOptionalField()
  @IsText(200)
  q?: string;

  /** Only servers in one of these states. */
  @ApiPropertyOptional({ isArray: true, enum: SERVER_STATES })
  @IsOptionalField()
  @IsArray({ message: 'state must be a list' })
  @ArrayMaxSize(SERVER_STATES.length, { message: 'state contains too many items' })
  @IsIn(SERVER_STATES, { each: true, message: `state can contain only ${SERVER_STATES.join(', ')}` })
  state?: ServerState[];

  /** Only servers with one of these protection states. */
  @ApiPropertyOptional({ isArray: true, enum: PROTECTION_STATES })
  @IsOptionalField()
  @IsArray({ message: 'protection must be a list' })
  @ArrayMaxSize(PROTECTION_STATES.length, { message: 'protection contains too many items' })
  @IsIn(PROTECTION_STATES, { each: true, message: `protection can contain only ${PROTECTION_STATES.join(', ')}` })
  protection?: ProtectionState[];

  /** True = only enabled servers, false = only disabled ones; absent = both. */
  @OptionalBoolean()
  enabled?: boolean;
}

export class BulkServersRequest {
  /** IDs of the servers; alternative to `filter`. */
  @IsOptionalField()
  @IsArray({ message: 'serverIds must be a list' })
  @ArrayMaxSize(MAX_CHANGED_SERVERS, { message: `serverIds may hold at most ${MAX_CHANGED_SERVERS} items` })
  @IsString({ each: true, message: 'serverIds must be ids of servers' })
  @MaxLength(64, { each: true, message: 'serverIds must be ids of servers' })
  serverIds?: string[];

  /** Selects all servers that match; alternative to `serverIds`. */
  @IsOptionalField()
  @NestedObject(() => BulkFilterRequest)
  filter?: BulkFilterRequest;

  /**
   * Expected number of selected servers. With another number nothing is changed. Required with `filter`, except for a
   * preview.
   * @example 12
   */
  @IsOptionalField()
  @IsInt({ message: EXPECTED_COUNT_MESSAGE })
  @Min(0, { message: EXPECTED_COUNT_MESSAGE })
  @Max(MAX_CHANGED_SERVERS, { message: EXPECTED_COUNT_MESSAGE })
  expectedCount?: number;

  /** `change` sets the fields below; `delete` deletes the servers. */
  @IsOneOf(BULK_ACTIONS)
  action: BulkAction;

  /** Tags to set on each server; they replace existing values. */
  @ApiPropertyOptional(TAG_MAP_SCHEMA)
  @IsOptionalField()
  @IsTagMap()
  addTags?: Record<string, string>;

  /** Keys of tags to remove from each server. */
  @IsOptionalField()
  // An array over the limit is refused for its length. It is cut here, because each item would be validated by every
  // rule below.
  @Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) ? value.slice(0, MAX_REMOVED_SERVERS + 1) : value,
  )
  @IsArray({ message: 'removeTags must be a list' })
  @ArrayMaxSize(MAX_REMOVED_SERVERS, { message: `removeTags may hold at most ${MAX_REMOVED_SERVERS} items` })
  @ArrayUnique({ message: 'removeTags contains a key twice' })
  @IsString({ each: true, message: 'removeTags must be keys of tags' })
  @MaxLength(63, { each: true, message: 'removeTags must be keys of tags' })
  @Matches(/\S/, { each: true, message: 'removeTags must be keys of tags' })
  removeTags?: string[];

  /** New environment of each server. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /** Whether runs may use the servers. */
  @OptionalBoolean()
  enabled?: boolean;

  /** Whether Runward also offers the algorithms of old SSH servers to them. */
  @OptionalBoolean()
  legacyAlgorithms?: boolean;

  /** Time limit of a login, in seconds; null: the default. */
  @IsIntegerSetting('loginTimeoutSeconds')
  loginTimeoutSeconds?: number | null;

  @ConfirmHosts()
  confirmHosts?: boolean;

  /** `true` changes the remaining servers when some are refused. Otherwise either all servers are changed or none. */
  @OptionalBoolean()
  partial?: boolean;
}

export class BulkServersQuery {
  /** `true` changes nothing and returns the planned changes. */
  @OptionalOneOf(['true', 'false'])
  preview?: 'true' | 'false';
}
