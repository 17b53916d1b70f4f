import { ApiProperty } from '@nestjs/swagger';
import { MEMBER_KINDS, type MemberKind } from '../../tenancy/directory/member-kind.js';
import { TOKEN_ACCESS, type TokenAccess } from '../../common/access/caller-limits.js';
import { CLAIM_PATTERNS_SCHEMA } from './claim-patterns.js';
import type { TrustRule } from './trust-rule.entity.js';
import { UserReference } from '../../common/http/user-reference.view.js';
import { Reason } from '../../common/http/reason.view.js';

/** Member as which tokens of a rule act. */
export class TrustedUserView extends UserReference {
  /** `person`, or `service_account`: a member for machines. */
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
  /** Patterns of further required claims, by name; empty: none. */
  @ApiProperty(CLAIM_PATTERNS_SCHEMA)
  claims: Record<string, string>;
  /** Member as whom the issued tokens act. */
  user: TrustedUserView;
  /**
   * Access level of issued tokens: `read` changes nothing, `run` also starts and controls runs, `all` has all rights of
   * the member.
   */
  @ApiProperty({ enum: TOKEN_ACCESS })
  access: TokenAccess;
  /**
   * Null: all that the member can see; never null with `planIds`. Empty: the tokens reach no environment. The plans of
   * such a rule have no environment, and the rule was saved before `environmentIds` was required.
   */
  @ApiProperty({ type: [String], nullable: true })
  environmentIds: string[] | null;
  /** Null: all that the member can see. */
  @ApiProperty({ type: [String], nullable: true })
  planIds: string[] | null;
  /** Lifetime of issued tokens, in seconds. */
  tokenLifetimeSeconds: number;
  /** False = the rule issues no tokens. */
  enabled: boolean;
  /** Time at which the rule last issued a token. */
  lastUsedAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
  /**
   * Number of runs that were started with tokens of the rule and have not begun. They are cancelled when these tokens
   * end. Absent in the response to creating the rule.
   */
  waitingRuns?: number;
}

export class TrustRuleListView {
  @ApiProperty({ type: [TrustRuleView] })
  items: TrustRuleView[];
  nextCursor: string | null;
}

export const TRIAL_OUTCOMES = ['accepted', 'refused'] as const;

/** Evaluation of a token by the trust rules. */
export class TokenTrialView {
  /** `accepted`: a token would be issued. `refused`: see `reason`. */
  @ApiProperty({ enum: TRIAL_OUTCOMES })
  outcome: (typeof TRIAL_OUTCOMES)[number];
  /** Why it would be refused, and what to do; null: a token would be issued. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
  /** Claims of the token. They are verified unless the code of `reason` concerns the issuer or the signature. */
  issuer: string;
  /** Claim `sub` of the token; null = the token has none. */
  subject: string | null;
  /** Claim `aud` of the token, as a list; empty = the token has none. */
  audiences: string[];
  /** Claim `exp` of the token, in UTC; null = the token has none. */
  expiresAt: string | null;
  /** Rule that would issue a token; null: no rule would. */
  @ApiProperty({ type: String, nullable: true })
  ruleId: string | null;
}

export const toTrustRuleView = (rule: TrustRule, user: TrustedUserView): TrustRuleView => ({
  id: rule.id,
  name: rule.name,
  issuer: rule.issuer,
  audience: rule.audience,
  subject: rule.subject,
  claims: rule.claims,
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
