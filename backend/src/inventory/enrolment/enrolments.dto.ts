import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import {
  OptionalTextLine,
  IsOptionalField,
  IsNullableField,
  QueryList,
  RecordId,
  RequiredTextLine,
} from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { IsTagMap, TAG_MAP_SCHEMA } from '../fields/tags.js';
import { IsHostAddress } from '../fields/is-host-address.js';
import { USERNAME_PATTERN, USERNAME_MESSAGE } from '../servers.dto.js';
import { ENROLMENT_STATES, type EnrolmentState } from './enrolment-record.js';

const PORT_MESSAGE = 'port must be a whole number from 1 to 65535';
const MAX_EXPIRY_SECONDS = 7 * 86_400;
const EXPIRY_MESSAGE = `expiresInSeconds must be a whole number from 60 to ${MAX_EXPIRY_SECONDS} (7 days)`;

export class CreateEnrolmentRequest {
  @RecordId()
  environmentId: string;

  /** SSH key that Runward signs in with. Its public key is installed on the host. */
  @RecordId()
  sshKeyId: string;

  /**
   * Existing user on the host as whom Runward signs in.
   * @example "deploy"
   */
  @RequiredTextLine(64)
  @Matches(USERNAME_PATTERN, { message: USERNAME_MESSAGE })
  username: string;

  /** @example 22 */
  @IsOptionalField()
  @IsInt({ message: PORT_MESSAGE })
  @Min(1, { message: PORT_MESSAGE })
  @Max(65535, { message: PORT_MESSAGE })
  port?: number;

  @ApiPropertyOptional(TAG_MAP_SCHEMA)
  @IsOptionalField()
  @IsTagMap()
  tags?: Record<string, string>;

  /** Jump server of the host; null = direct connection. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true, required: false })
  @IsNullableField()
  @RecordId()
  jumpServerId?: string | null;

  /**
   * Name of the server. Default: the host name that the host reports.
   * @example "web-1"
   */
  @IsOptionalField()
  @RequiredTextLine(100)
  name?: string;

  /**
   * Validity, in seconds. Default: one hour; at most 7 days.
   * @example 3600
   */
  @IsOptionalField()
  @IsInt({ message: EXPIRY_MESSAGE })
  @Min(60, { message: EXPIRY_MESSAGE })
  @Max(MAX_EXPIRY_SECONDS, { message: EXPIRY_MESSAGE })
  expiresInSeconds?: number;
}

export class ListEnrolmentsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;

  @QueryId()
  environmentId?: string;

  /** Only enrolments in this state. Can be repeated. */
  @QueryList(ENROLMENT_STATES)
  state?: EnrolmentState[];
}

/** Report of a host about itself. Login and port come from the enrolment. */
export class EnrolHostRequest {
  /**
   * Host name that the host reports; empty = none.
   * @example "web-1"
   */
  @OptionalTextLine(253)
  hostName: string;

  /**
   * Addresses of the host, the preferred one first. Invalid addresses are ignored.
   * @example ["10.0.0.5"]
   */
  @ArrayMaxSize(64, { message: 'addresses may hold at most 64 items' })
  @IsString({ each: true, message: 'addresses must be addresses' })
  @MaxLength(45, { each: true, message: 'addresses must be addresses' })
  @IsArray({ message: 'addresses must be a list' })
  addresses: string[];

  /** Address at which Runward reaches the host, from `RUNWARD_ADDRESS`. */
  @IsOptionalField()
  @RequiredTextLine(253)
  @IsHostAddress()
  address?: string;

  /**
   * Public host keys, one per line of a key file.
   * @example ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI..."]
   */
  @ArrayMaxSize(16, { message: 'hostKeys may hold at most 16 items' })
  @ArrayMinSize(1, { message: 'hostKeys must contain at least one key' })
  @IsString({ each: true, message: 'hostKeys must be public key lines' })
  @MaxLength(4096, { each: true, message: 'hostKeys must be public key lines' })
  @IsArray({ message: 'hostKeys must be a list' })
  hostKeys: string[];
}
