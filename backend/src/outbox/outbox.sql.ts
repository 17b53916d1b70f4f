import { sql, type Sql } from '../common/database/sql.js';
import { CHANNELS } from '../common/database/notifications.js';

/** Limit of `data` as text, in characters. A longer event has the number of its hosts instead of their IDs. */
const MAX_LENGTH = sql.raw('32768');

/**
 * Returns an INSERT that stores events with a subscription and skips all others. Use it as CTE `heard` in the statement
 * that stores the change, followed by {@link NOTIFY_STORED_EVENTS}.
 * @param tenant SQL of the tenant's ID
 * @param events SQL of a relation with the columns `n` (order), `type`, `data`, `environment_id`, `plan_id`,
 *   `execution_id` and `run`
 */
export const insertSubscribedEvents = (tenant: Sql, events: Sql): Sql =>
  sql`insert into outbox_events (tenant_id, type, environment_id, plan_id, execution_id, run, data)
    select ${tenant}, h.type, h.environment_id, h.plan_id, h.execution_id, h.run,
        case when length(h.data::text) > ${MAX_LENGTH} and jsonb_typeof(h.data->'serverIds') = 'array'
          then h.data - 'serverIds' || jsonb_build_object('serverCount', jsonb_array_length(h.data->'serverIds'))
          else h.data end
      from ${events} h
      where exists (select from outbox_interests i where i.tenant_id = ${tenant} and i.type = h.type
        and (i.environment_id is null or i.environment_id = h.environment_id))
      order by h.n returning tenant_id`;

/** SQL expression that notifies workers of the events in `heard`; null: no events. */
export const NOTIFY_STORED_EVENTS = sql`(select pg_notify('${sql.raw(CHANNELS.outbox)}', heard.tenant_id::text) from heard limit 1)`;
