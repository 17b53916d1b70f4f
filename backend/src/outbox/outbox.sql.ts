import { CHANNELS } from '../common/notify/notifications.js';

/** An event with a longer text tells of its hosts by their number only. */
const MOST_LENGTH = 32 * 1024;

/**
 * SQL of an insertion that puts into the outbox what somebody of the tenant listens for, and nothing otherwise. It is
 * part of the statement that stores the change, as `heard`: {@link TELL_HEARD} stands behind it.
 * @param tenant SQL of the tenant's id
 * @param events SQL of a relation with the columns `n` (order), `type`, `data`, `environment_id`, `plan_id`,
 *   `execution_id` and `run`
 */
export const insertHeard = (tenant: string, events: string): string =>
  `insert into outbox_events (tenant_id, type, environment_id, plan_id, execution_id, run, data)
    select ${tenant}, h.type, h.environment_id, h.plan_id, h.execution_id, h.run,
        case when length(h.data::text) > ${MOST_LENGTH} and jsonb_typeof(h.data->'serverIds') = 'array'
          then h.data - 'serverIds' || jsonb_build_object('serverCount', jsonb_array_length(h.data->'serverIds'))
          else h.data end
      from ${events} h
      where exists (select from outbox_interests i where i.tenant_id = ${tenant} and i.type = h.type
        and (i.environment_id is null or i.environment_id = h.environment_id))
      order by h.n returning tenant_id`;

/** SQL of a value that tells the workers of the tenant whose events are in `heard`; null when there are none. */
export const TELL_HEARD = `(select pg_notify('${CHANNELS.outbox}', heard.tenant_id::text) from heard limit 1)`;
