import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { row, rows, sql, type Sql } from '../../common/database/sql.js';
import { invalidRequest, unauthorizedProblem } from '../../common/errors/problem.js';
import { removeFromDirectory } from '../../tenancy/directory/auth-directory.js';
import type { NewToken } from './issue-token.js';

interface ParentTokenRow {
  expires_at: Date | null;
  outlives: boolean | null;
  exchanged: boolean;
  trust_rule_id: string | null;
}

type ChildTokenFields = Pick<NewToken, 'parentTokenId' | 'expiresAt' | 'exchanged' | 'trustRuleId' | 'heldBy'>;

/**
 * Returns what a new token inherits from the token that creates it (parent). The child never outlives the parent, and
 * by default has the same expiry. The parent stays locked until this transaction ends, so that its revocation finds the
 * child.
 * @throws Problem 400 `outlives_parent`; 401 if the parent has just ended
 */
export async function createChildTokenFields(
  tx: EntityManager,
  caller: Principal,
  requestedExpiry: Date | null,
): Promise<ChildTokenFields> {
  const heldBy = [...new Set([caller.userId, ...caller.heldBy])];
  if (caller.via !== 'token')
    return { parentTokenId: null, expiresAt: requestedExpiry, exchanged: false, trustRuleId: null, heldBy };
  const parent = await row(
    tx,
    sql<ParentTokenRow>`
      select expires_at, exchanged, trust_rule_id, ${requestedExpiry}::timestamptz > expires_at as outlives from api_tokens
        where tenant_id = ${caller.tenantId} and id = ${caller.credentialId}
          and revoked_at is null and (expires_at is null or expires_at > now())
        for share`,
  );
  if (!parent) throw unauthorizedProblem();
  if (parent.outlives) {
    const end = parent.expires_at?.toISOString() ?? '';
    throw invalidRequest([
      {
        path: '/expiresAt',
        code: 'outlives_parent',
        message: `A token cannot outlive the token that creates it. Choose ${end} or earlier, or omit the time.`,
      },
    ]);
  }
  const expiresAt = requestedExpiry ?? parent.expires_at;
  const { exchanged, trust_rule_id: trustRuleId } = parent;
  return { parentTokenId: caller.credentialId, expiresAt, exchanged, trustRuleId, heldBy };
}

/** Condition on a token ID: the token is `ancestor` or one of its descendants. */
export const isInTokenLineageSql = (id: Sql, tenantId: string, ancestor: string): Sql =>
  sql`${id} in (with recursive lineage as (
    select own.id from api_tokens own where own.tenant_id = ${tenantId} and own.id = ${ancestor}
    union
    select child.id from api_tokens child join lineage on child.parent_token_id = lineage.id where child.tenant_id = ${tenantId}
  ) select id from lineage)`;

export async function revokeTokenLineage(tx: EntityManager, tenantId: string, id: string): Promise<string[]> {
  const revoked: string[] = [];
  for (;;) {
    const ended = await rows(
      tx,
      sql<{ id: string }>`with recursive lineage as (
          select id from api_tokens where tenant_id = ${tenantId} and id = ${id}
          union
          select child.id from api_tokens child join lineage on child.parent_token_id = lineage.id
            where child.tenant_id = ${tenantId}
        ), alive as (
          -- In one order, or two revocations that overlap could wait for each other.
          select id from api_tokens where tenant_id = ${tenantId} and revoked_at is null and id in (select id from lineage)
            order by id for update
        ), ended as (
          update api_tokens set revoked_at = now() from alive
            where api_tokens.tenant_id = ${tenantId} and api_tokens.id = alive.id returning api_tokens.id
        )
        select id from ended order by id`,
    );
    if (ended.length === 0) return revoked;
    // Query again: while the statement waited for the row of a parent, that parent may have created a child.
    const ids = ended.map((token) => token.id);
    await removeFromDirectory(tx, 'token', tenantId, ids);
    revoked.push(...ids);
  }
}

export async function revokeTokensOfTrustRule(tx: EntityManager, tenantId: string, ruleId: string): Promise<number> {
  let revoked = 0;
  for (;;) {
    const ended = await rows(
      tx,
      sql<{ id: string }>`with alive as (
          select id from api_tokens where tenant_id = ${tenantId} and trust_rule_id = ${ruleId} and revoked_at is null
            order by id for update
        ), ended as (
          update api_tokens set revoked_at = now() from alive
            where api_tokens.tenant_id = ${tenantId} and api_tokens.id = alive.id returning api_tokens.id
        )
        select id from ended`,
    );
    if (ended.length === 0) return revoked;
    // Query again: while the statement waited for the row of a parent, that parent may have created a child.
    await removeFromDirectory(
      tx,
      'token',
      tenantId,
      ended.map(({ id }) => id),
    );
    revoked += ended.length;
  }
}

/** Days for which exchanged tokens are kept after their expiry. Exchanged tokens are many and short-lived. */
const RETENTION_DAYS = 1;

/** Deletes up to 100 exchanged tokens of a tenant whose retention has ended. Tokens with unfinished runs are kept. */
export async function deleteEndedTokens(tx: EntityManager, tenantId: string): Promise<void> {
  const deleted = await rows(
    tx,
    sql<{ id: string }>`delete from api_tokens where tenant_id = ${tenantId} and id in (select id from api_tokens
        where tenant_id = ${tenantId} and exchanged and expires_at < now() - make_interval(days => ${RETENTION_DAYS})
          and not exists (
            select from executions e
              where e.tenant_id = ${tenantId} and e.token_prefix = api_tokens.prefix and e.finished_at is null)
        order by expires_at, id desc limit 100 for update skip locked)
      returning id`,
  );
  await removeFromDirectory(
    tx,
    'token',
    tenantId,
    deleted.map(({ id }) => id),
  );
}
