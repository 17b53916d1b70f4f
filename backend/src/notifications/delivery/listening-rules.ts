import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../common/database/sql.js';
import { isInEnvironmentVisibleToMemberSql } from '../../environments/environments.sql.js';
import type { Interest } from '../../outbox/outbox-interests.js';
import { ACTIVE_MEMBERS } from '../../tenancy/directory/members.sql.js';
import { NOTIFICATION_EVENTS, type NotificationEvent } from '../messages/notification-events.js';

export const CONSUMER = 'notifications';

export interface ListeningRule {
  id: string;
  /** Null: the rule reports events of the whole tenant. */
  environmentId: string | null;
  events: NotificationEvent[];
  planIds: string[] | null;
}

/**
 * Returns and locks the rules for these environments: one row for each environment that the rule's owner can see now.
 * For null: the rules of admins without environments and plans, which report events of the whole tenant. The lock
 * prevents deletion until the transaction ends.
 */
export const listeningRules = (
  tx: EntityManager,
  tenantId: string,
  environmentIds: readonly (string | null)[],
): Promise<ListeningRule[]> =>
  rows(
    tx,
    sql<ListeningRule>`select r.id, x.environment_id as "environmentId", r.events, r.plan_ids as "planIds"
      from notification_rules r
      join ${ACTIVE_MEMBERS} m on m.tenant_id = r.tenant_id and m.id = r.owner_id
      join (select ${tenantId}::uuid as tenant_id, id as environment_id from unnest(${environmentIds}::uuid[]) as id) x
        on x.tenant_id = r.tenant_id
      where r.tenant_id = ${tenantId} and r.enabled and case when x.environment_id is null
          then r.environment_ids is null and r.plan_ids is null and m.role = 'admin'
          else (r.environment_ids is null or x.environment_id = any (r.environment_ids))
            and ${isInEnvironmentVisibleToMemberSql(sql.raw('x'), sql.raw('m'))} end
      order by r.id for key share of r`,
  );

export async function getInterests(tx: EntityManager, tenantId: string): Promise<Interest[]> {
  const interests = await rows(
    tx,
    sql<{ event: NotificationEvent; environmentId: string | null }>`
      select distinct event, environment_id as "environmentId" from notification_rules r
        cross join unnest(r.events) as event
        cross join unnest(coalesce(r.environment_ids, array[null]::uuid[])) as environment_id
        where r.tenant_id = ${tenantId} and r.enabled`,
  );
  return interests.map(({ event, environmentId }) => ({ type: NOTIFICATION_EVENTS[event].type, environmentId }));
}
