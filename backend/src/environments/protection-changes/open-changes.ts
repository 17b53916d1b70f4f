import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { allOf, StatementValues } from '../../common/database/statement-values.js';
import type { ListOrder } from '../../common/http/paging/sorted-page.js';
import { areIndependentSql } from '../../tenancy/independent-members.js';
import { callerMayApprove } from '../environments.sql.js';
import { CHANGE_COLUMNS, type ProtectionChangeRow } from '../protection/protection-change-rows.js';
import { isInVisibleEnvironment } from '../visible-environment.js';

/**
 * Returns a page of the open changes in environments that the caller can see.
 * @param awaiting true = only changes that the caller can put into effect now
 */
export const openChangesOf = (
  tx: EntityManager,
  caller: Principal,
  awaiting: boolean,
  order: ListOrder,
  limit: number,
): Promise<(ProtectionChangeRow & { sort_key: string | null })[]> => {
  const values = new StatementValues(caller.tenantId, caller.role, caller.userId, caller.limits);
  const placeholders = { role: '$2', user: '$3::uuid', limits: '$4' };
  const conditions = [
    `c.tenant_id = $1 and c.state = 'open' and c.expires_at > now()`,
    isInVisibleEnvironment('c', placeholders),
    ...(awaiting ? [callerMayApprove('c', placeholders), mayAgree(placeholders.user)] : []),
    ...order.afterCursor(values),
  ];
  return tx.query(
    `select ${CHANGE_COLUMNS}, ${order.key} as sort_key from protection_changes c
      where ${allOf(conditions)} order by ${order.orderBy} limit ${values.of(limit)}`,
    values.list,
  );
};

/** SQL condition: the approver is independent of the requester, or is the requester and the delay is over. */
const mayAgree = (user: string): string =>
  `(case when c.requested_by = ${user} then (c.effective_at <= now()) is true
    else ${areIndependentSql('c.tenant_id', 'c.requested_by', user)} end)`;
