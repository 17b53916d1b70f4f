import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import {
  IsOptionalField,
  RequiredMultilineText,
  QueryInteger,
  QueryList,
  QueryText,
  QueryBoolean,
} from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { KeyContent } from '../../keys/keys.dto.js';
import { ROTATION_HOST_STATUSES, type RotationHostStatus } from './rotation-record.js';

/** The new key: either `generate` a key pair, or import a `privateKey`. */
export class RotateKeyRequest extends KeyContent {}

export class ChosenHostsRequest {
  /** Servers to include; absent: all failed servers. */
  @IsOptionalField()
  @IsArray({ message: 'serverIds must be a list' })
  @ArrayMinSize(1, { message: 'serverIds must contain at least one server, or be omitted' })
  @ArrayMaxSize(10_000, { message: 'serverIds can have at most 10000 items' })
  @IsString({ each: true, message: 'serverIds must be ids of servers' })
  serverIds?: string[];
}

export class GiveUpHostsRequest extends ChosenHostsRequest {
  /**
   * Reason.
   * @example "The host was scrapped."
   */
  @RequiredMultilineText(500)
  comment: string;
}

export class GetRotationQuery {
  /** Maximum time to wait for the end of the rotation, in seconds; default: 0. */
  @QueryInteger(0, 55)
  wait?: number;
}

export class ListRotationsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;

  /** Only rotations from or to this key. */
  @QueryId()
  sshKeyId?: string;

  /** `true`: only open rotations; `false`: only finished rotations. */
  @QueryBoolean()
  open?: boolean;
}

export class ListRotationHostsQuery extends PageQuery {
  @ApiProperty({ description: 'Only hosts with this status; may be repeated.' })
  @QueryList(ROTATION_HOST_STATUSES)
  status?: RotationHostStatus[];

  /** Part of a server name, not case-sensitive. */
  @QueryText()
  q?: string;
}
