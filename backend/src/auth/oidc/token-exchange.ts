import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { TokenAccess } from '../../common/access/caller-limits.js';
import { row, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, Problem, unauthorizedProblem } from '../../common/errors/problem.js';
import { type Quota, RateLimiter } from '../../common/http/limits/rate-limits.js';
import { findActiveMember, findMember } from '../../tenancy/directory/member.reader.js';
import { issueToken } from '../tokens/issue-token.js';
import { deleteEndedTokens } from '../tokens/token-lineage.js';
import { toTokenScopeView } from '../tokens/token-scope.view.js';
import { toTokenView } from '../tokens/tokens.view.js';
import { pickClaims } from './claim-patterns.js';
import type { ExchangedTokenView } from './exchange.view.js';
import { parseUnverifiedClaims, type TokenIdentity, verifyIdentityToken } from './identity-token.js';
import { IssuerKeys } from './issuer-keys.js';
import { selectMatchingRule } from './matching-rule.js';
import { type FoundTrustRule, isTrustedIssuer, findRulesOfIssuer } from './rule-directory.js';
import { matchesSubject } from './subject-pattern.js';

/**
 * Quota of audit entries for refused tokens, per issuer and tenant. Anyone can get tokens of a public issuer, so
 * refusals could flood the audit trail.
 */
const REFUSED_EXCHANGES_QUOTA: Quota = { name: 'refused-exchanges', requests: 20, seconds: 3600 };
const MAX_SUBJECT_LENGTH = 500;

const MAX_NAME_LENGTH = 100;

export interface TokenExchangeRequest {
  token: string;
  tenant?: string;
  address: string;
  requestId: string;
}

interface IssuingTrustRule {
  name: string;
  userId: string;
  access: TokenAccess;
  environmentIds: string[] | null;
  planIds: string[] | null;
  expiresAt: Date;
}

/**
 * Exchanges a token of an identity provider for a short-lived API token, by the trust rule that matches.
 *
 * An unauthenticated client can learn whether any tenant trusts the issuer in the token: keys are fetched only from
 * trusted issuers. Everything else requires a token that the issuer has signed. The same token may be exchanged again
 * while it is valid, because a job may restart and a command line may lose its API token.
 */
@Injectable()
export class TokenExchange {
  now = (): number => performance.now();
  private readonly refusals = new RateLimiter();
  /** Number of refusals since the last audit entry, by tenant and issuer. */
  private readonly unrecordedRefusals = new Map<string, number>();

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly keys: IssuerKeys,
  ) {}

  /** @throws Problem 400, 401, 409, 503: see `identity-token.ts` and `matching-rule.ts` */
  async exchangeToken(exchange: TokenExchangeRequest): Promise<ExchangedTokenView> {
    const unverifiedClaims = parseUnverifiedClaims(exchange.token);
    if (!(await this.units.runWithoutTenant((tx) => isTrustedIssuer(tx, unverifiedClaims.issuer))))
      throw issuerUnknownProblem();
    const identity = await verifyIdentityToken(exchange.token, unverifiedClaims, this.keys);
    const rules = await this.units.runWithoutTenant((tx) =>
      findRulesOfIssuer(tx, unverifiedClaims.issuer, exchange.tenant),
    );
    if (rules === null)
      throw conflict('tenant_required', 'Many tenants trust the issuer of this token. Name yours in "tenant".');
    const rule = selectMatchingRule(rules, identity, exchange.tenant !== undefined);
    if (rule instanceof Problem) {
      await this.recordRefusedExchange(rule, rules, identity, exchange);
      throw rule;
    }
    const issuedToken = await this.units.run(rule.tenantId, (tx) =>
      this.issueTokenForRule(tx, rule, identity, exchange),
    );
    // Thrown after the transaction, so that the audit entry of the refusal is committed.
    if (issuedToken instanceof Problem) throw issuedToken;
    return issuedToken;
  }

  /** Records the refusal in the tenant that it concerns. Records nothing if it may concern several tenants. */
  private async recordRefusedExchange(
    { code }: Problem,
    rules: readonly FoundTrustRule[],
    { issuer, subject, audiences, jti }: TokenIdentity,
    { address, requestId }: TokenExchangeRequest,
  ): Promise<void> {
    const matchingRules = rules.filter((rule) => matchesSubject(rule.subject, subject));
    const [tenantId, ...others] = new Set(
      (matchingRules.length > 0 ? matchingRules : rules).map((rule) => rule.tenantId),
    );
    if (tenantId === undefined || others.length > 0) return;
    const key = `${tenantId} ${issuer}`;
    const unrecordedCount = this.unrecordedRefusals.get(key) ?? 0;
    if (!this.refusals.consumeQuota(key, REFUSED_EXCHANGES_QUOTA, this.now()).allowed) {
      this.unrecordedRefusals.set(key, unrecordedCount + 1);
      return;
    }
    this.unrecordedRefusals.delete(key);
    const actor = { kind: 'anonymous' as const, tenantId, userId: null, name: null, address, requestId };
    const reported = {
      subject: subject.slice(0, MAX_SUBJECT_LENGTH),
      audiences: audiences.slice(0, 3).map((each) => each.slice(0, 100)),
    };
    await this.units.run(tenantId, (tx) =>
      this.audit.record(tx, actor, {
        action: 'token.refuse_exchange',
        after: { reason: code, issuer, ...reported, jti, ...(unrecordedCount > 0 ? { leftOut: unrecordedCount } : {}) },
      }),
    );
  }

  private async issueTokenForRule(
    tx: EntityManager,
    { tenantId, tenantName, ruleId, claims: patterns }: FoundTrustRule,
    identity: TokenIdentity,
    { address, requestId }: TokenExchangeRequest,
  ): Promise<ExchangedTokenView | Problem> {
    // The lock makes a change of the rule wait. The change then ends this token too.
    const rule = await row(
      tx,
      sql<IssuingTrustRule>`update oidc_trust_rules set last_used_at = now()
        where tenant_id = ${tenantId} and id = ${ruleId} and enabled
        returning name, user_id as "userId", access, environment_ids as "environmentIds", plan_ids as "planIds",
          now() + make_interval(secs => token_lifetime_seconds) as "expiresAt"`,
    );
    if (!rule) return unauthorizedProblem('oidc_subject_unknown', 'The trust rule has just been disabled or deleted.');
    const { subject, issuer, jti } = identity;
    const member = await findActiveMember(tx, tenantId, rule.userId);
    if (!member) {
      const known = await findMember(tx, tenantId, rule.userId);
      const actor = { kind: 'anonymous' as const, tenantId, userId: null, name: null, address, requestId };
      await this.audit.record(tx, actor, {
        action: 'token.refuse_exchange',
        resourceId: ruleId,
        resourceName: rule.name,
        after: { reason: 'member_disabled', user: known?.name ?? null, issuer, subject, jti },
      });
      return unauthorizedProblem('oidc_member_disabled', 'The member of this trust rule is disabled. Ask an admin.');
    }
    await deleteEndedTokens(tx, tenantId);
    const { access, environmentIds, planIds, expiresAt } = rule;
    const name = subject.length > MAX_NAME_LENGTH ? `${subject.slice(0, MAX_NAME_LENGTH - 1)}…` : subject;
    const { row: issued, token } = await issueToken(tx, {
      ...{ tenantId, userId: member.id, name, parentTokenId: null, expiresAt },
      scope: { access, environmentIds, planIds },
      exchanged: true,
      // Only the job knows the secret, no member.
      heldBy: [],
      trustRuleId: ruleId,
    });
    const actor = { kind: 'user' as const, tenantId, userId: member.id, name: member.name, address, requestId };
    await this.audit.record(tx, actor, {
      action: 'token.exchange',
      resourceId: issued.id,
      resourceName: name,
      after: {
        ...{ ...toTokenView(issued, member), rule: { id: ruleId, name: rule.name }, issuer, subject, jti },
        ...(Object.keys(patterns).length > 0 ? { claims: pickClaims(patterns, identity.claims) } : {}),
      },
    });
    return {
      token,
      expiresAt: expiresAt.toISOString(),
      user: { id: member.id, name: member.name, role: member.role },
      rule: { id: ruleId, name: rule.name },
      tenant: { id: tenantId, name: tenantName },
      scope: toTokenScopeView(issued),
    };
  }
}

export const issuerUnknownProblem = (): Problem =>
  unauthorizedProblem(
    'oidc_issuer_unknown',
    'No trust rule names the issuer of this token. An admin has to add one, with the issuer written as in the token.',
  );
