import { sql, type Sql } from '../database/sql.js';
import { isWaitingInSql } from './job-queue.js';
import { QUEUES } from './queue-names.js';
import { WORKER_GONE_AFTER_SECONDS } from './worker-heartbeat.js';

/** Limit of the places that are counted. It bounds the cost of reading runs. */
const MAX_PLACE = 1_000;
/** Shorter waits are normal: a worker takes a job within this time. */
const NORMAL_WAIT_SECONDS = 3;

/** SQL expression: whether no worker lives. Evaluated once per statement. */
const NO_WORKER_SQL = sql`(select not exists (select 1 from worker_heartbeats
    where seen_at > now() - make_interval(secs => ${WORKER_GONE_AFTER_SECONDS})))`;

/** SQL expression: IDs of the tenant's runs that wait for a worker, next first. Evaluated once per statement. */
const WAITING_RUNS_SQL = sql`(select array(select data->>'executionId' from pgboss.job
    where ${isWaitingInSql(QUEUES.advanceRun)} and data->>'tenantId' = nullif(current_setting('app.tenant', true), '')
      and created_on < now() - make_interval(secs => ${NORMAL_WAIT_SECONDS})
    order by priority desc, created_on limit ${MAX_PLACE}))`;

/** Runs of other tenants are not counted, because a tenant must not learn of them. */
const placeSql = (run: Sql): Sql => sql`array_position(${WAITING_RUNS_SQL}, ${run}.id::text)`;

const isFullSql = sql`cardinality(${WAITING_RUNS_SQL}) = ${MAX_PLACE}`;

/**
 * SQL expressions: code and text of why an unfinished run does not continue: no worker lives, or all slots are in use.
 * Null if neither is so.
 * @param run alias of the run
 * @param mayStart condition: nothing else prevents the start
 */
export const workerWaitCodeSql = (run: Sql, mayStart: Sql): Sql => sql`case
    when ${run}.status in ('PENDING', 'RUNNING', 'CANCELLING') and ${NO_WORKER_SQL} then 'no_worker'
    when ${run}.status = 'PENDING' and ${mayStart} and (${placeSql(run)} is not null or ${isFullSql}) then 'no_free_slot' end`;

export const workerWaitTextSql = (run: Sql, mayStart: Sql): Sql => sql`case
    when ${run}.status in ('PENDING', 'RUNNING', 'CANCELLING') and ${NO_WORKER_SQL}
      then 'No worker is running, so this run waits. An operator of the installation must start a worker.'
    when ${run}.status = 'PENDING' and ${mayStart} and (${placeSql(run)} is not null or ${isFullSql})
      then 'All run slots are in use. Place in the queue of your tenant: '
        || coalesce(${placeSql(run)}::text, ${`over ${MAX_PLACE}`}::text) || '.' end`;
