import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { invalidRequest, unauthorized } from '../../common/errors/problem.js';
import { unlist } from '../../tenancy/directory/auth-directory.js';

/**
 * When a new token ends. One that is made with a token never outlives that one, and takes its end when none is asked
 * for. The parent stays locked until this transaction ends, so that its revocation finds the child.
 * @throws Problem 400 `outlives_parent`; 401 when the parent has just ended
 */
export async function childExpiry(tx: EntityManager, caller: Principal, wanted: Date | null): Promise<Date | null> {
  if (caller.via !== 'token') return wanted;
  const [parent] = await tx.query<{ expires_at: Date | null; outlives: boolean | null }[]>(
    `select expires_at, $3::timestamptz > expires_at as outlives from api_tokens
      where tenant_id = $1 and id = $2 and revoked_at is null and (expires_at is null or expires_at > now())
      for share`,
    [caller.tenantId, caller.credentialId, wanted],
  );
  if (!parent) throw unauthorized();
  if (parent.outlives) {
    const end = parent.expires_at?.toISOString() ?? '';
    throw invalidRequest([
      {
        path: '/expiresAt',
        code: 'outlives_parent',
        message: `A token can't outlive the token that it is made with. Choose ${end} or earlier, or leave it out.`,
      },
    ]);
  }
  return wanted ?? parent.expires_at;
}

/** Revokes a token and all that were made with it, and with those. @returns their ids */
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
    // Once more: a child may have been made while this waited for its parent's row.
    const ids = rows.map((row) => row.id);
    await unlist(tx, 'token', tenantId, ids);
    revoked.push(...ids);
  }
}
