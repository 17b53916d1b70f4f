import { conflict, type Problem, unauthorizedProblem } from '../../common/errors/problem.js';
import type { TokenIdentity } from './identity-token.js';
import { findUnmatchedClaim, readClaimTexts } from './claim-patterns.js';
import { matchesSubject } from './subject-pattern.js';

export interface TrustRulePattern {
  tenantId: string;
  ruleId: string;
  audience: string;
  subject: string;
  /** Patterns of further claims, by name. */
  claims: Readonly<Record<string, string>>;
}

const NO_MATCH_MESSAGE = 'No trust rule matches this subject';

/**
 * Returns the only rule that the identity matches. Matches the subject before audience and claims: an untrusted subject
 * learns nothing about existing rules, even with a token of a public provider.
 * @param named whether the request names a tenant
 */
export function selectMatchingRule<R extends TrustRulePattern>(
  rules: readonly R[],
  { subject, audiences, claims }: Pick<TokenIdentity, 'subject' | 'audiences' | 'claims'>,
  named: boolean,
): R | Problem {
  const matchingRules = rules.filter((rule) => matchesSubject(rule.subject, subject));
  if (matchingRules.length === 0)
    return unauthorizedProblem(
      'oidc_subject_unknown',
      `${NO_MATCH_MESSAGE}${named ? ' in that tenant' : ''}: "${subject}". Ask an admin to add one.`,
    );
  const rulesOfAudience = matchingRules.filter(({ audience }) => audiences.includes(audience));
  const [closestRule] = rulesOfAudience;
  if (!closestRule)
    return unauthorizedProblem(
      'oidc_audience_wrong',
      `The audience of the token is ${audiences.slice(0, 3).map(quoteValue).join(', ')}; the trust rule for this subject requires another one. Request a token for the audience of the rule.`,
    );
  const [rule, ...others] = rulesOfAudience.filter((each) => findUnmatchedClaim(each.claims, claims) === null);
  if (!rule) return claimMismatchProblem(findUnmatchedClaim(closestRule.claims, claims) ?? '', claims);
  if (others.some(({ tenantId }) => tenantId !== rule.tenantId))
    return conflict('tenant_required', 'Several tenants trust this token. Name one of them in "tenant".');
  if (others.length > 0)
    return conflict(
      'oidc_several_rules',
      'Several trust rules of the tenant match this token. Ask an admin to narrow one of them.',
    );
  return rule;
}

function claimMismatchProblem(name: string, claims: TokenIdentity['claims']): Problem {
  const texts = readClaimTexts(claims, name).slice(0, 3).map(quoteValue);
  return unauthorizedProblem(
    'oidc_claim_mismatch',
    `The trust rule for this subject requires another value of the claim "${name}". The token has ${texts.length > 0 ? texts.join(', ') : 'none'}.`,
  );
}

const quoteValue = (value: string): string => `"${value.slice(0, 100)}"`;
