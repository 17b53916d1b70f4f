import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql, type Sql } from '../../common/database/sql.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import { areIndependentSql } from '../../tenancy/independent-members.js';
import { mayApproveSql, isInVisibleEnvironmentSql } from '../environments.sql.js';
import { CHANGE_COLUMNS, type ProtectionChangeRow } from '../protection/protection-change-rows.js';

/**
 * Returns a page of the open changes in environments that the caller can see.
 * @param awaiting true = only changes that the caller can put into effect now
 */
export const listOpenChanges = (
  tx: EntityManager,
  caller: Principal,
  awaiting: boolean,
  order: ListOrder,
  limit: number,
): Promise<(ProtectionChangeRow & { sort_key: string | null })[]> => {
  const conditions = [
    sql`c.tenant_id = ${caller.tenantId} and c.state = 'open' and c.expires_at > now()`,
    isInVisibleEnvironmentSql(sql.raw('c'), caller),
    ...(awaiting ? [mayApproveSql(sql.raw('c'), caller), mayAgreeSql(caller.userId)] : []),
    ...order.afterCursorSql(),
  ];
  return rows(
    tx,
    sql<ProtectionChangeRow & { sort_key: string | null }>`
      select ${CHANGE_COLUMNS}, ${order.key} as sort_key from protection_changes c
        where ${sql.all(conditions)} order by ${order.orderBy} limit ${limit}`,
  );
};

/** Condition: the approver is independent of the requester, or is the requester and the delay is over. */
const mayAgreeSql = (userId: string): Sql =>
  sql`(case when c.requested_by = ${userId} then (c.effective_at <= now()) is true
    else ${areIndependentSql(sql`c.tenant_id`, sql`c.requested_by`, sql`${userId}::uuid`)} end)`;
