import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { addToDirectory, findCredential, removeKeyFromDirectory } from '../../tenancy/directory/auth-directory.js';
import type { TrustRulePattern } from './matching-rule.js';

const CREDENTIAL_KIND = 'oidc_issuer';
/**
 * Maximum number of tenants that a token is matched for. If more tenants trust the issuer, the request must name its
 * tenant.
 */
const MAX_TENANTS = 100;

const hashIssuer = (issuer: string): Buffer => createHash('sha256').update(issuer).digest();

export interface FoundTrustRule extends TrustRulePattern {
  tenantName: string;
}

/** Whether any tenant trusts the issuer. Needs no tenant context. */
export const isTrustedIssuer = async (tx: EntityManager, issuer: string): Promise<boolean> =>
  (await findCredential(tx, CREDENTIAL_KIND, hashIssuer(issuer))) !== null;

/** Returns the rules that trust the issuer; null: more tenants trust it than `MAX_TENANTS`. */
export async function findRulesOfIssuer(
  tx: EntityManager,
  issuer: string,
  tenant: string | undefined,
): Promise<FoundTrustRule[] | null> {
  const rules = await rows(
    tx,
    sql<FoundTrustRule>`
      select tenant_id as "tenantId", tenant_name as "tenantName", rule_id as "ruleId", audience, subject, claims
        from trust_rules_of(${issuer}, ${hashIssuer(issuer)}, ${tenant ?? null}, ${MAX_TENANTS + 1})`,
  );
  return new Set(rules.map(({ tenantId }) => tenantId)).size > MAX_TENANTS ? null : rules;
}

export async function lockTrustRules(tx: EntityManager, tenantId: string): Promise<void> {
  await row(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`trust rules ${tenantId}`}, 0))`);
}

/**
 * Adds the tenant to the directory of the issuer if it has an enabled rule for the issuer. Requires {@link lockTrustRules}.
 */
export async function addIssuerToDirectory(tx: EntityManager, tenantId: string, issuer: string): Promise<void> {
  const key = hashIssuer(issuer);
  await removeKeyFromDirectory(tx, { kind: CREDENTIAL_KIND, key, tenantId });
  const rule = await row(
    tx,
    sql<{ id: string }>`
      select id from oidc_trust_rules where tenant_id = ${tenantId} and issuer = ${issuer} and enabled limit 1`,
  );
  if (rule) await addToDirectory(tx, { kind: CREDENTIAL_KIND, key, tenantId, recordId: rule.id });
}

export const listTrustRulesOfMember = (
  tx: EntityManager,
  tenantId: string,
  userId: string,
): Promise<{ id: string; name: string }[]> =>
  rows(
    tx,
    sql<{ id: string; name: string }>`select id, name from oidc_trust_rules
      where tenant_id = ${tenantId} and user_id = ${userId} order by name limit 20`,
  );
