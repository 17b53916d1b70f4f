import { ApiProperty } from '@nestjs/swagger';
import { type CallerLimits, TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import type { ApiToken } from './api-token.entity.js';

/** What a token may do less than its member. */
export class TokenScopeView {
  @ApiProperty({ enum: TOKEN_ACCESS })
  access: TokenAccess;
  /**
   * Absent: all that its member sees. Never absent beside `planIds`. Empty: it reaches no environment; its plans are bound
   * to none, and it was made before they had to be named.
   */
  @ApiProperty({ required: false, type: [String] })
  environmentIds?: readonly string[];
  /** Absent: all that its member sees. */
  @ApiProperty({ required: false, type: [String] })
  planIds?: readonly string[];
}

/** Null for a token that may all its member may. */
export function toTokenScopeView({
  access,
  environmentIds,
  planIds,
}: Pick<ApiToken, 'access' | 'environmentIds' | 'planIds'>): TokenScopeView | null {
  if (access === 'all' && !environmentIds && !planIds) return null;
  return { access, ...(environmentIds ? { environmentIds } : {}), ...(planIds ? { planIds } : {}) };
}

/** The same of a caller. */
export const scopeOfCaller = (limits: CallerLimits | null): TokenScopeView | null =>
  toTokenScopeView({
    access: limits?.access ?? 'all',
    environmentIds: limits?.environmentIds ? [...limits.environmentIds] : null,
    planIds: limits?.planIds ? [...limits.planIds] : null,
  });
