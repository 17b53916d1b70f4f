import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsString, MaxLength } from 'class-validator';
import { TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import { Maybe, MaybeNull, OneOf } from '../../common/http/fields.js';

/** Records of a kind that a token may be narrowed to. */
const MOST_RECORDS = 100;

/** An optional list of ids that a token is narrowed to. @param nullable whether null may stand for its absence */
export const MaybeScopeIds = (what: string, nullable = false) =>
  applyDecorators(
    nullable ? MaybeNull() : Maybe(),
    IsArray({ message: '$property must be a list' }),
    ArrayMinSize(1, { message: `$property must name at least one ${what}, or be left out` }),
    ArrayMaxSize(MOST_RECORDS, { message: `$property may hold at most ${MOST_RECORDS} items` }),
    IsString({ each: true, message: `$property must be ids of ${what}s` }),
    MaxLength(64, { each: true, message: `$property must be ids of ${what}s` }),
    ArrayUnique({ message: '$property may name each record once' }),
    ApiProperty({ required: false, type: [String], ...(nullable ? { nullable } : {}) }),
  );

/** What a token may do less than its member. */
export class TokenScopeRequest {
  /**
   * `read`: changes nothing. `run`: also starts, repeats and steers runs. `all`: whatever its member may.
   * @example "run"
   */
  @OneOf(TOKEN_ACCESS)
  access: TokenAccess;

  /**
   * Only these environments and what hangs on them; what lies outside is not found. Absent: all that its member sees, or,
   * with `planIds`, the environments that these plans are bound to when the token is made. For a plan that is bound to
   * none they have to be named (400 `environments_required`).
   */
  @MaybeScopeIds('environment')
  environmentIds?: string[];

  /** Only these plans and their runs, in `environmentIds`. Absent: all that its member sees. */
  @MaybeScopeIds('plan')
  planIds?: string[];
}
