import { ApiProperty } from '@nestjs/swagger';
import { MEMBER_KINDS, type MemberKind } from '../../common/access/member-kind.js';
import { TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import type { TrustRule } from './trust-rule.entity.js';

/** The member as whom tokens of a rule act. */
export class TrustedUserView {
  id: string;
  name: string;
  @ApiProperty({ enum: MEMBER_KINDS })
  kind: MemberKind;
}

export class TrustRuleView {
  id: string;
  /** @example "shop, main branch" */
  name: string;
  /** @example "https://token.actions.githubusercontent.com" */
  issuer: string;
  /** @example "https://runward.example.com" */
  audience: string;
  /** @example "repo:acme/shop:ref:refs/heads/main" */
  subject: string;
  user: TrustedUserView;
  @ApiProperty({ enum: TOKEN_ACCESS })
  access: TokenAccess;
  /**
   * Null: all that the member sees. Never null beside `planIds`. Empty: its tokens reach no environment; its plans are bound
   * to none, and it was saved before they had to be named.
   */
  @ApiProperty({ type: [String], nullable: true })
  environmentIds: string[] | null;
  /** Null: all that the member sees. */
  @ApiProperty({ type: [String], nullable: true })
  planIds: string[] | null;
  tokenLifetimeSeconds: number;
  enabled: boolean;
  /** When a token was last given by it. */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
  /** Number of runs that were started with its tokens and have not begun: they are cancelled when these tokens end. Absent in the answer to its creation. */
  waitingRuns?: number;
}

export class TrustRuleListView {
  @ApiProperty({ type: [TrustRuleView] })
  items: TrustRuleView[];
  nextCursor: string | null;
}

/** What became of the trial of a token. */
export const TRIAL_OUTCOMES = ['accepted', 'refused'] as const;

/** How the trust rules look at a token. */
export class TokenTrialView {
  @ApiProperty({ enum: TRIAL_OUTCOMES })
  outcome: (typeof TRIAL_OUTCOMES)[number];
  /** The code of the refusal. */
  code: string | null;
  /** In words, what to do. */
  detail: string;
  /** What the token says of itself; proved unless `code` tells of its issuer or signature. */
  issuer: string;
  subject: string | null;
  audiences: string[];
  expiresAt: string | null;
  /** The rule that would give a token. */
  @ApiProperty({ type: String, nullable: true })
  ruleId: string | null;
}

export const toTrustRuleView = (rule: TrustRule, user: TrustedUserView): TrustRuleView => ({
  id: rule.id,
  name: rule.name,
  issuer: rule.issuer,
  audience: rule.audience,
  subject: rule.subject,
  user: { id: user.id, name: user.name, kind: user.kind },
  access: rule.access,
  environmentIds: rule.environmentIds,
  planIds: rule.planIds,
  tokenLifetimeSeconds: rule.tokenLifetimeSeconds,
  enabled: rule.enabled,
  lastUsedAt: rule.lastUsedAt?.toISOString() ?? null,
  createdAt: rule.createdAt.toISOString(),
  updatedAt: rule.updatedAt.toISOString(),
  version: rule.version,
});
