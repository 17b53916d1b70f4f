import type { EntityManager } from 'typeorm';

/** Days for which a member who was given a right does not count as independent of who gave it. */
const TIED_DAYS = 7;

/**
 * Those of the members who are independent of this one: neither gave the other a right within seven days, nor did one
 * third member give a right to both. So one person cannot decide by the hand of members whom they have just made.
 */
export async function independentOf(
  tx: EntityManager,
  tenantId: string,
  userId: string,
  others: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `with recent as (select user_id, given_by from given_rights
        where tenant_id = $1 and given_at > now() - make_interval(days => $4) and user_id <> given_by),
      own as (select given_by from recent where user_id = $2)
      select id from unnest($3::uuid[]) as id where id <> $2
        and id not in (select given_by from own)
        and not exists (select from recent where user_id = id and (given_by = $2 or given_by in (select given_by from own)))`,
    [tenantId, userId, others, TIED_DAYS],
  );
  return rows.map(({ id }) => id);
}
