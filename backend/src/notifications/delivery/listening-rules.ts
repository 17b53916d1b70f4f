import type { EntityManager } from 'typeorm';
import { isInVisibleEnvironment } from '../../environments/visible-environment.js';
import type { Interest } from '../../outbox/outbox-interests.js';
import { ACTIVE_MEMBERS } from '../../tenancy/directory/members.sql.js';
import type { NotificationEvent } from '../messages/notification-events.js';
import { HEARD_FOR } from './told-events.js';

/** As the outbox knows this room. */
export const CONSUMER = 'notifications';

/** A rule that tells of an environment, or of what is about the whole tenant. */
export interface ListeningRule {
  id: string;
  /** Null: of the tenant. */
  environmentId: string | null;
  events: NotificationEvent[];
  /** Null: all. */
  planIds: string[] | null;
}

/**
 * The rules that tell of something in these environments, with each environment that their owners see now, and with null
 * those that tell of the whole tenant: of admins, and narrowed to nothing. None of them is deleted before the transaction
 * ends.
 */
export const listeningRules = (
  tx: EntityManager,
  tenantId: string,
  environmentIds: readonly (string | null)[],
): Promise<ListeningRule[]> =>
  tx.query(
    `select r.id, x.environment_id as "environmentId", r.events, r.plan_ids as "planIds"
      from notification_rules r
      join ${ACTIVE_MEMBERS} m on m.tenant_id = r.tenant_id and m.id = r.owner_id
      join (select $1::uuid as tenant_id, id as environment_id from unnest($2::uuid[]) as id) x on x.tenant_id = r.tenant_id
      where r.tenant_id = $1 and r.enabled and case when x.environment_id is null
          then r.environment_ids is null and r.plan_ids is null and m.role = 'admin'
          else (r.environment_ids is null or x.environment_id = any (r.environment_ids))
            and ${isInVisibleEnvironment('x', { role: 'm.role', user: 'm.id', limits: 'null' })} end
      order by r.id for key share of r`,
    [tenantId, environmentIds],
  );

/** What the rules of the tenant listen for, wherever they do. */
export async function interestsOf(tx: EntityManager, tenantId: string): Promise<Interest[]> {
  const rows = await tx.query<{ event: NotificationEvent; environmentId: string | null }[]>(
    `select distinct event, environment_id as "environmentId" from notification_rules r
      cross join unnest(r.events) as event
      cross join unnest(coalesce(r.environment_ids, array[null]::uuid[])) as environment_id
      where r.tenant_id = $1 and r.enabled`,
    [tenantId],
  );
  return rows.map(({ event, environmentId }) => ({ type: HEARD_FOR[event], environmentId }));
}
