import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsString, MaxLength } from 'class-validator';
import { TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import { IsOptionalField, IsNullableField, IsOneOf } from '../../common/http/fields.js';

const MAX_SCOPE_RECORDS = 100;

/** Decorates an optional list of ids in a scope. @param nullable whether null is accepted and means absent */
export const OptionalScopeIds = (what: string, nullable = false) =>
  applyDecorators(
    nullable ? IsNullableField() : IsOptionalField(),
    IsArray({ message: '$property must be a list' }),
    ArrayMinSize(1, { message: `$property must contain at least one ${what}, or be omitted` }),
    ArrayMaxSize(MAX_SCOPE_RECORDS, { message: `$property can contain at most ${MAX_SCOPE_RECORDS} items` }),
    IsString({ each: true, message: `$property must be ids of ${what}s` }),
    MaxLength(64, { each: true, message: `$property must be ids of ${what}s` }),
    ArrayUnique({ message: '$property can contain each record only once' }),
    ApiProperty({
      ...{ required: false, type: [String], minItems: 1, maxItems: MAX_SCOPE_RECORDS, uniqueItems: true },
      ...(nullable ? { nullable } : {}),
    }),
  );

/** Restrictions of a token, compared with its member. */
export class TokenScopeRequest {
  /**
   * `read`: changes nothing. `run`: also starts, reruns and controls runs. `all`: all rights of its member.
   * @example "run"
   */
  @IsOneOf(TOKEN_ACCESS)
  access: TokenAccess;

  /**
   * Only these environments and their records; others are not found. Absent: all that the member can see; with
   * `planIds`, the environments to which these plans are bound when the token is created. Required for a plan without
   * an environment (400 `environments_required`).
   */
  @OptionalScopeIds('environment')
  environmentIds?: string[];

  /** Only these plans and their runs, in `environmentIds`. Absent: all that the member can see. */
  @OptionalScopeIds('plan')
  planIds?: string[];
}
