import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { invalidRequest, unauthorized } from '../../common/errors/problem.js';
import { removeFromDirectory } from '../../tenancy/directory/auth-directory.js';
import type { NewToken } from './issue-token.js';

interface ParentRow {
  expires_at: Date | null;
  outlives: boolean | null;
  exchanged: boolean;
  trust_rule_id: string | null;
}

type Child = Pick<NewToken, 'parentTokenId' | 'expiresAt' | 'exchanged' | 'trustRuleId' | 'heldBy'>;

/**
 * Returns what a new token inherits from the token that creates it (parent). The child never outlives the parent, and
 * by default has the same expiry. The parent stays locked until this transaction ends, so that its revocation finds the
 * child.
 * @throws Problem 400 `outlives_parent`; 401 if the parent has just ended
 */
export async function toChildToken(tx: EntityManager, caller: Principal, requestedExpiry: Date | null): Promise<Child> {
  const heldBy = [...new Set([caller.userId, ...caller.heldBy])];
  if (caller.via !== 'token')
    return { parentTokenId: null, expiresAt: requestedExpiry, exchanged: false, trustRuleId: null, heldBy };
  const [parent] = await tx.query<ParentRow[]>(
    `select expires_at, exchanged, trust_rule_id, $3::timestamptz > expires_at as outlives from api_tokens
      where tenant_id = $1 and id = $2 and revoked_at is null and (expires_at is null or expires_at > now())
      for share`,
    [caller.tenantId, caller.credentialId, requestedExpiry],
  );
  if (!parent) throw unauthorized();
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

/** SQL condition: the token is `ancestor` or one of its descendants. */
export const isOfLineage = (id: string, tenant: string, ancestor: string): string =>
  `${id} in (with recursive lineage as (
    select own.id from api_tokens own where own.tenant_id = ${tenant} and own.id = ${ancestor}
    union
    select child.id from api_tokens child join lineage on child.parent_token_id = lineage.id where child.tenant_id = ${tenant}
  ) select id from lineage)`;

export async function revokeLineage(tx: EntityManager, tenantId: string, id: string): Promise<string[]> {
  const revoked: string[] = [];
  for (;;) {
    const rows = await tx.query<{ id: string }[]>(
      `with recursive lineage as (
          select id from api_tokens where tenant_id = $1 and id = $2
          union
          select child.id from api_tokens child join lineage on child.parent_token_id = lineage.id
            where child.tenant_id = $1
        ), alive as (
          -- In one order, or two revocations that overlap could wait for each other.
          select id from api_tokens where tenant_id = $1 and revoked_at is null and id in (select id from lineage)
            order by id for update
        ), ended as (
          update api_tokens set revoked_at = now() from alive
            where api_tokens.tenant_id = $1 and api_tokens.id = alive.id returning api_tokens.id
        )
        select id from ended order by id`,
      [tenantId, id],
    );
    if (rows.length === 0) return revoked;
    // Query again: while the statement waited for the row of a parent, that parent may have created a child.
    const ids = rows.map((row) => row.id);
    await removeFromDirectory(tx, 'token', tenantId, ids);
    revoked.push(...ids);
  }
}

export async function revokeOfRule(tx: EntityManager, tenantId: string, ruleId: string): Promise<number> {
  let revoked = 0;
  for (;;) {
    const rows = await tx.query<{ id: string }[]>(
      `with alive as (
          select id from api_tokens where tenant_id = $1 and trust_rule_id = $2 and revoked_at is null order by id for update
        ), ended as (
          update api_tokens set revoked_at = now() from alive
            where api_tokens.tenant_id = $1 and api_tokens.id = alive.id returning api_tokens.id
        )
        select id from ended`,
      [tenantId, ruleId],
    );
    if (rows.length === 0) return revoked;
    // Query again: while the statement waited for the row of a parent, that parent may have created a child.
    await removeFromDirectory(
      tx,
      'token',
      tenantId,
      rows.map(({ id }) => id),
    );
    revoked += rows.length;
  }
}

/** Days for which exchanged tokens are kept after their expiry. Exchanged tokens are many and short-lived. */
const RETENTION_DAYS = 1;

/** Deletes up to 100 exchanged tokens of a tenant whose retention has ended. Tokens with unfinished runs are kept. */
export async function deleteEndedTokens(tx: EntityManager, tenantId: string): Promise<void> {
  const [rows] = await tx.query<[{ id: string }[], number]>(
    `delete from api_tokens where tenant_id = $1 and id in (select id from api_tokens
        where tenant_id = $1 and exchanged and expires_at < now() - make_interval(days => $2) and not exists (
          select from executions e
            where e.tenant_id = $1 and e.token_prefix = api_tokens.prefix and e.finished_at is null)
        order by expires_at, id desc limit 100 for update skip locked)
      returning id`,
    [tenantId, RETENTION_DAYS],
  );
  await removeFromDirectory(
    tx,
    'token',
    tenantId,
    rows.map(({ id }) => id),
  );
}
