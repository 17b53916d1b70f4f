import { conflict, type Problem, unauthorized } from '../../common/errors/problem.js';
import type { Identity } from './identity-token.js';
import { fitsSubject } from './subject-pattern.js';

/** What of a trust rule decides whether a token fits it. */
export interface RulePattern {
  tenantId: string;
  ruleId: string;
  audience: string;
  subject: string;
}

const SHORT = 'No trust rule names this subject';

/**
 * The one rule that an identity fits. The subject is looked at before the audience: whoever is trusted nowhere is told
 * that alone, so that a token of a provider which everybody can get one of finds out nothing about anybody's rules.
 * @param named whether the caller named a tenant
 */
export function matchingRule<R extends RulePattern>(
  rules: readonly R[],
  { subject, audiences }: Pick<Identity, 'subject' | 'audiences'>,
  named: boolean,
): R | Problem {
  const trusted = rules.filter((rule) => fitsSubject(rule.subject, subject));
  if (trusted.length === 0)
    return unauthorized(
      'oidc_subject_unknown',
      `${SHORT}${named ? ' in that tenant' : ''}: "${subject}". An admin has to add one.`,
    );
  const [rule, ...others] = trusted.filter(({ audience }) => audiences.includes(audience));
  if (!rule)
    return unauthorized(
      'oidc_audience_wrong',
      `The token is meant for ${audiences.slice(0, 3).map(quoted).join(', ')}, and the trust rule for this subject asks for another audience. Have it issued for the audience that the rule names.`,
    );
  if (others.some(({ tenantId }) => tenantId !== rule.tenantId))
    return conflict('tenant_required', 'Several tenants trust this token. Name one of them in "tenant".');
  if (others.length > 0)
    return conflict(
      'oidc_several_rules',
      'Several trust rules of the tenant fit this token. Make one of them narrower.',
    );
  return rule;
}

const quoted = (audience: string): string => `"${audience.slice(0, 100)}"`;
