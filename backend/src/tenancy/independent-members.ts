import type { EntityManager } from 'typeorm';
import { rows, sql, type Sql } from '../common/database/sql.js';

const DEPENDENCE_DAYS = 7;

/**
 * Condition: two members are independent. Neither gave a right to the other within seven days, and no third member gave
 * a right to both. Otherwise one person could decide through members that this person has just created.
 * @param tenant, one, other values or columns with IDs
 */
export const areIndependentSql = (tenant: Sql, one: Sql, other: Sql): Sql => {
  const recent = (right: Sql) => sql`${right}.tenant_id = ${tenant} and ${right}.user_id <> ${right}.given_by
    and ${right}.given_at > now() - make_interval(days => ${DEPENDENCE_DAYS})`;
  const tie = sql.raw('tie');
  return sql`not exists (select from given_rights tie where ${recent(tie)}
      and ((tie.user_id = ${one} and tie.given_by = ${other}) or (tie.user_id = ${other} and tie.given_by = ${one})))
    and not exists (select from given_rights tie join given_rights same on same.given_by = tie.given_by
      where ${recent(tie)} and ${recent(sql.raw('same'))} and tie.user_id = ${one} and same.user_id = ${other})`;
};

export async function filterIndependentMembers(
  tx: EntityManager,
  tenantId: string,
  userId: string,
  others: readonly string[],
): Promise<string[]> {
  const user = sql`${userId}::uuid`;
  const found = await rows(
    tx,
    sql<{ id: string }>`select id from unnest(${others}::uuid[]) as id
      where id <> ${user} and ${areIndependentSql(sql`${tenantId}::uuid`, user, sql`id`)}`,
  );
  return found.map(({ id }) => id);
}
