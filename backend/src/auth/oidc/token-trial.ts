import { Injectable } from '@nestjs/common';
import { decodeJwt } from 'jose';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { Problem } from '../../common/errors/problem.js';
import { parseUnverifiedClaims, verifyIdentityToken } from './identity-token.js';
import { IssuerKeys } from './issuer-keys.js';
import { selectMatchingRule } from './matching-rule.js';
import { findRulesOfIssuer } from './rule-directory.js';
import { issuerUnknownProblem } from './token-exchange.js';
import type { TokenTrialView } from './trust-rules.view.js';

const MAX_CLAIM_LENGTH = 500;

/** Shows an admin how the tenant's rules evaluate a token of an identity provider. Does not exchange the token. */
@Injectable()
export class TokenTrial {
  constructor(
    private readonly units: UnitOfWork,
    private readonly keys: IssuerKeys,
  ) {}

  /** @throws Problem 400 if the token is invalid or not signed */
  async tryIdentityToken(caller: Principal, token: string): Promise<TokenTrialView> {
    const unverifiedClaims = parseUnverifiedClaims(token);
    const claims = readShownClaims(token, unverifiedClaims.issuer);
    try {
      const rules = await this.units.runWithoutTenant((tx) =>
        findRulesOfIssuer(tx, unverifiedClaims.issuer, caller.tenantName),
      );
      if (!rules || rules.length === 0) throw issuerUnknownProblem();
      const identity = await verifyIdentityToken(token, unverifiedClaims, this.keys);
      const rule = selectMatchingRule(rules, identity, true);
      if (rule instanceof Problem) throw rule;
      return { ...claims, outcome: 'accepted', reason: null, ruleId: rule.ruleId };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { ...claims, outcome: 'refused', reason: { code: error.code, text: error.detail }, ruleId: null };
    }
  }
}

function readShownClaims(
  token: string,
  issuer: string,
): Pick<TokenTrialView, 'issuer' | 'subject' | 'audiences' | 'expiresAt'> {
  const { sub, aud = [], exp } = decodeJwt(token);
  const audiences = [aud].flat().filter((each) => typeof each === 'string');
  const until = typeof exp === 'number' ? new Date(exp * 1000) : null;
  return {
    issuer: issuer.slice(0, MAX_CLAIM_LENGTH),
    subject: typeof sub === 'string' ? sub.slice(0, MAX_CLAIM_LENGTH) : null,
    audiences: audiences.slice(0, 10).map((each) => each.slice(0, MAX_CLAIM_LENGTH)),
    expiresAt: until && !Number.isNaN(until.getTime()) ? until.toISOString() : null,
  };
}
