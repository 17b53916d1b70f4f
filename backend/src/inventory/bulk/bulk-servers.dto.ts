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
import { AnyText, FreeText, Maybe, MaybeOneOf, Nested, OneOf, RecordId, YesNo } from '../../common/http/fields.js';
import { LoginTimeout } from '../fields/login-timeout-field.js';
import { ConfirmHosts } from '../fields/confirm-hosts.js';
import { IsTagMap, TAG_MAP_SCHEMA } from '../fields/tags.js';
import { PROTECTION_STATES, type ProtectionState } from '../machines/protection-state.js';
import { SERVER_STATES, type ServerState } from '../server.entity.js';

/** Most servers that one request changes. */
export const MOST_SERVERS = 10_000;
const MOST_REMOVED = 50;
const COUNT_ADVICE = `expectedCount must be a whole number from 0 to ${MOST_SERVERS}`;

export const BULK_ACTIONS = ['change', 'delete'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The filters of the list of servers. Empty: all that the caller sees. */
export class BulkFilterRequest {
  @Maybe()
  @RecordId()
  environmentId?: string;

  /**
   * Label selector over tags and names.
   * @example "role=web,region in (eu, us)"
   */
  @Maybe()
  @FreeText(1000)
  selector?: string;

  /** Part of the name or host name. */
  @Maybe()
  @AnyText(200)
  q?: string;

  /** Only servers in one of these states. */
  @ApiPropertyOptional({ isArray: true, enum: SERVER_STATES })
  @Maybe()
  @IsArray({ message: 'state must be a list' })
  @ArrayMaxSize(SERVER_STATES.length, { message: 'state holds too many items' })
  @IsIn(SERVER_STATES, { each: true, message: `state may hold ${SERVER_STATES.join(', ')}` })
  state?: ServerState[];

  /** Only servers whose protection is one of these. */
  @ApiPropertyOptional({ isArray: true, enum: PROTECTION_STATES })
  @Maybe()
  @IsArray({ message: 'protection must be a list' })
  @ArrayMaxSize(PROTECTION_STATES.length, { message: 'protection holds too many items' })
  @IsIn(PROTECTION_STATES, { each: true, message: `protection may hold ${PROTECTION_STATES.join(', ')}` })
  protection?: ProtectionState[];

  @YesNo()
  enabled?: boolean;
}

export class BulkServersRequest {
  /** Which servers: these … */
  @Maybe()
  @IsArray({ message: 'serverIds must be a list' })
  @ArrayMaxSize(MOST_SERVERS, { message: `serverIds may hold at most ${MOST_SERVERS} items` })
  @IsString({ each: true, message: 'serverIds must be ids of servers' })
  @MaxLength(64, { each: true, message: 'serverIds must be ids of servers' })
  serverIds?: string[];

  /** … or all that the filter leaves. */
  @Maybe()
  @Nested(() => BulkFilterRequest)
  filter?: BulkFilterRequest;

  /**
   * How many servers the caller has seen to be meant; with another number nothing is done. Required with `filter`,
   * unless it is a preview.
   * @example 12
   */
  @Maybe()
  @IsInt({ message: COUNT_ADVICE })
  @Min(0, { message: COUNT_ADVICE })
  @Max(MOST_SERVERS, { message: COUNT_ADVICE })
  expectedCount?: number;

  @OneOf(BULK_ACTIONS)
  action: BulkAction;

  /** Tags that each server has afterwards, whatever their values were. */
  @ApiPropertyOptional(TAG_MAP_SCHEMA)
  @Maybe()
  @IsTagMap()
  addTags?: Record<string, string>;

  /** Keys of tags that no server has afterwards. */
  @Maybe()
  // A longer list is refused for its length: its items are not looked at, each by every rule below.
  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.slice(0, MOST_REMOVED + 1) : value))
  @IsArray({ message: 'removeTags must be a list' })
  @ArrayMaxSize(MOST_REMOVED, { message: `removeTags may hold at most ${MOST_REMOVED} items` })
  @ArrayUnique({ message: 'removeTags holds a key twice' })
  @IsString({ each: true, message: 'removeTags must be keys of tags' })
  @MaxLength(63, { each: true, message: 'removeTags must be keys of tags' })
  @Matches(/\S/, { each: true, message: 'removeTags must be keys of tags' })
  removeTags?: string[];

  /** The environment that each server is in afterwards. */
  @Maybe()
  @RecordId()
  environmentId?: string;

  /** Whether runs may use the servers afterwards. */
  @YesNo()
  enabled?: boolean;

  /** Whether Runward also offers algorithms of old SSH servers to them afterwards. */
  @YesNo()
  legacyAlgorithms?: boolean;

  /** Time limit of a login afterwards, in seconds; null: the default. */
  @LoginTimeout()
  loginTimeoutSeconds?: number | null;

  @ConfirmHosts()
  confirmHosts?: boolean;

  /** With `true` what is refused for some servers is done with the others. Else all is done, or nothing. */
  @YesNo()
  partial?: boolean;
}

export class BulkServersQuery {
  /** With `true` nothing is changed: the answer tells what would be. */
  @MaybeOneOf(['true', 'false'])
  preview?: 'true' | 'false';
}
