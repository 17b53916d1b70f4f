import type { EntityManager } from 'typeorm';

const DEPENDENCE_DAYS = 7;

/**
 * SQL condition: two members are independent. Neither gave a right to the other within seven days, and no third member
 * gave a right to both. Otherwise one person could decide through members that this person has just created.
 * @param tenant, one, other placeholders or columns with IDs
 */
export const areIndependentSql = (tenant: string, one: string, other: string): string => {
  const recentRights = (alias: string) => `${alias}.tenant_id = ${tenant} and ${alias}.user_id <> ${alias}.given_by
    and ${alias}.given_at > now() - make_interval(days => ${DEPENDENCE_DAYS})`;
  return `not exists (select from given_rights tie where ${recentRights('tie')}
      and ((tie.user_id = ${one} and tie.given_by = ${other}) or (tie.user_id = ${other} and tie.given_by = ${one})))
    and not exists (select from given_rights tie join given_rights same on same.given_by = tie.given_by
      where ${recentRights('tie')} and ${recentRights('same')} and tie.user_id = ${one} and same.user_id = ${other})`;
};

export async function independentOf(
  tx: EntityManager,
  tenantId: string,
  userId: string,
  others: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }[]>(
    `select id from unnest($3::uuid[]) as id where id <> $2::uuid and ${areIndependentSql('$1', '$2::uuid', 'id')}`,
    [tenantId, userId, others],
  );
  return rows.map(({ id }) => id);
}
