import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { Maybe, Prose, QueryInt, QueryList, QueryText, QueryYesNo } from '../../common/http/fields.js';
import { QueryId, SortBy } from '../../common/http/paging/filters.js';
import { PageQuery } from '../../common/http/paging/page.dto.js';
import { KeyContent } from '../../keys/keys.dto.js';
import { ROTATION_HOST_STATES, type RotationHostState } from './rotation-record.js';

/** The key that takes the place of the old one: either `generate` a new pair, or import a `privateKey`. */
export class RotateKeyRequest extends KeyContent {}

export class ChosenHostsRequest {
  /** Servers that it is for; absent: all that failed. */
  @Maybe()
  @IsArray({ message: 'serverIds must be a list' })
  @ArrayMinSize(1, { message: 'serverIds must name at least one server, or be left out' })
  @ArrayMaxSize(10_000, { message: 'serverIds may hold at most 10000 items' })
  @IsString({ each: true, message: 'serverIds must be ids of servers' })
  serverIds?: string[];
}

export class GiveUpHostsRequest extends ChosenHostsRequest {
  /**
   * Why.
   * @example "The host was scrapped."
   */
  @Prose(500)
  comment: string;
}

export class GetRotationQuery {
  /** Seconds to wait for the end of the rotation before it is answered; 0 unless given. */
  @QueryInt(0, 55)
  wait?: number;
}

export class ListRotationsQuery extends PageQuery {
  @SortBy(['createdAt'])
  sort?: string;

  /** Only those of this key, as the old one or the new one. */
  @QueryId()
  sshKeyId?: string;

  /** Only those that are open, or that are over. */
  @QueryYesNo()
  open?: boolean;
}

export class ListRotationHostsQuery extends PageQuery {
  @ApiProperty({ description: 'Only hosts in this state; may be given several times.' })
  @QueryList(ROTATION_HOST_STATES)
  state?: RotationHostState[];

  /** Part of a name. */
  @QueryText()
  q?: string;
}
