import { ApiProperty } from '@nestjs/swagger';
import { type CallerLimits, TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import type { ApiToken } from './api-token.entity.js';

/** Limits of a token compared with its member. */
export class TokenScopeView {
  @ApiProperty({ enum: TOKEN_ACCESS })
  access: TokenAccess;
  /**
   * Absent: all that its member can see. Never absent with `planIds`. Empty: it reaches no environment, because its
   * plans have none and it was created before environments were required.
   */
  @ApiProperty({ required: false, type: [String] })
  environmentIds?: readonly string[];
  /** Absent: all that its member can see. */
  @ApiProperty({ required: false, type: [String] })
  planIds?: readonly string[];
}

/** Null for a token with all rights of its member. */
export function toTokenScopeView({
  access,
  environmentIds,
  planIds,
}: Pick<ApiToken, 'access' | 'environmentIds' | 'planIds'>): TokenScopeView | null {
  if (access === 'all' && !environmentIds && !planIds) return null;
  return { access, ...(environmentIds ? { environmentIds } : {}), ...(planIds ? { planIds } : {}) };
}

/** The same for a caller. */
export const scopeOfCaller = (limits: CallerLimits | null): TokenScopeView | null =>
  toTokenScopeView({
    access: limits?.access ?? 'all',
    environmentIds: limits?.environmentIds ? [...limits.environmentIds] : null,
    planIds: limits?.planIds ? [...limits.planIds] : null,
  });
