import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, MaxLength } from 'class-validator';
import { MultilineText, IsOptionalField, RecordId } from '../../common/http/fields.js';

export const MAX_CHECKED_SERVERS = 1_000;

/** Servers by ID, or those of an environment that a selector matches. */
export class RequestChecksRequest {
  /** At most 1000; use `environmentId` and `selector` for more. */
  @IsOptionalField()
  // An array over the limit is refused for its length: its items are not validated.
  @Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) ? value.slice(0, MAX_CHECKED_SERVERS + 1) : value,
  )
  @ArrayMaxSize(MAX_CHECKED_SERVERS, {
    message: `ids may hold at most ${MAX_CHECKED_SERVERS} ids; check more by environmentId and selector`,
  })
  @ArrayMinSize(1, { message: 'ids must name at least one server' })
  @IsString({ each: true, message: 'ids must be ids of servers' })
  @MaxLength(64, { each: true, message: 'ids must be ids of servers' })
  @IsArray({ message: 'ids must be a list of ids of servers' })
  ids?: string[];

  /** All enabled servers of this environment, or those that `selector` matches. */
  @IsOptionalField()
  @RecordId()
  environmentId?: string;

  /**
   * Label selector over tags, facts and names.
   * @example "role=web"
   */
  @IsOptionalField()
  @MultilineText(1000)
  selector?: string;
}

export class RequestedChecksView {
  /** Number of servers to check, including those that were already requested. */
  requested: number;
  /** Number of disabled servers; they are not checked. */
  disabled: number;
  /** A server has been checked when its `checkedAt` is later than this. */
  requestedAt: string;
  /** Requests that no worker has started by then expire. */
  lapsesAt: string;
  /** Number of live workers. 0: no checks run before one starts. */
  workers: number;
}
