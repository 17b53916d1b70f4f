import type { EntityManager } from 'typeorm';
import type { PastAuditEntry } from '../../../backend/src/audit/past-audit.js';
import { affected, sql, type Sql } from '../../../backend/src/common/database/sql.js';
import type { RunBatch, SeedRun } from '../invent/invent-runs.js';
import { pastEntry } from './past-entries.js';
import { toCourseRows } from './course-rows.js';

/** Name and type of a column that is copied from the history's row. */
type ColumnType = readonly [name: string, type: string];

interface TableMapping {
  table: keyof ReturnType<typeof toCourseRows>;
  plain: readonly ColumnType[];
  /** Time columns. In the history they are in ms from the start of the run. */
  times: readonly string[];
  /** Other columns, as SQL on the run `r` and the history's row `s`. */
  further?: Readonly<Record<string, Sql>>;
  /** Columns of the history's rows that only `further` uses. */
  needed?: readonly ColumnType[];
}

/** SQL of a time in a run: `ms` of its history after the start, scaled by the run's pace. Null for null. */
const momentSql = (ms: Sql): Sql => sql`r.at + round(${ms} * r.pace) * interval '1 millisecond'`;

/** SQL of a dispatch ID, equal in each table. It starts like the run's ID, so that IDs are roughly chronological. */
const DISPATCH_ID = sql`(left(r.id::text, 14) || '7' || substr(md5(r.id || ' ' || s.step_index || ' ' || s.server_id), 1, 3)
  || '-8' || substr(md5(r.id || ' ' || s.step_index || ' ' || s.server_id), 4, 3)
  || '-' || substr(md5(r.id || ' ' || s.step_index || ' ' || s.server_id), 7, 12))::uuid`;

/** Duration of a lease. Finished runs keep their last lease. */
const LEASE = sql`interval '20 seconds'`;

const EXECUTIONS: TableMapping = {
  table: 'executions',
  plain: [
    ['plan_id', 'uuid'],
    ['plan_revision', 'int'],
    ['plan_name', 'text'],
    ['environment_id', 'uuid'],
    ['environment_name', 'text'],
    ['status', 'text'],
    ['execution_mode', 'text'],
    ['status_code', 'text'],
    ['status_text', 'text'],
    ['note', 'text'],
    ['snapshot', 'jsonb'],
    ['digest', 'text'],
    ['started_by', 'uuid'],
    ['started_by_name', 'text'],
    ['started_via', 'text'],
    ['token_prefix', 'text'],
    ['host_count', 'int'],
    ['owner', 'text'],
    ['epoch', 'int'],
    ['event_seq', 'bigint'],
    ['chunk_seq', 'bigint'],
    ['flush_seq', 'bigint'],
    ['version', 'bigint'],
  ],
  times: ['started_at', 'finished_at'],
  further: {
    id: sql`r.id`,
    created_at: sql`r.at`,
    commit_authors: sql`case when s.execution_mode <> 'dry_run'
      and exists (select from environments x where x.id = s.environment_id and x.protected) then '[]'::jsonb end`,
    deadline_at: sql`${momentSql(sql`s.started_at`)} + s.limit_seconds * interval '1 second'`,
    lease_until: sql`case when s.owner is not null then ${momentSql(sql`s.finished_at`)} + ${LEASE} end`,
  },
  needed: [['limit_seconds', 'int']],
};

const CHILD_TABLES: readonly TableMapping[] = [
  {
    table: 'execution_steps',
    plain: [
      ['step_index', 'int'],
      ['key', 'text'],
      ['name', 'text'],
      ['type', 'text'],
      ['status', 'text'],
      ['reason', 'text'],
      ['reason_code', 'text'],
      ['counts', 'jsonb'],
    ],
    times: ['started_at', 'finished_at'],
  },
  {
    table: 'execution_hosts',
    plain: [
      ['server_id', 'uuid'],
      ['ordinal', 'int'],
      ['name', 'text'],
      ['hostname', 'text'],
      ['port', 'int'],
      ['username', 'text'],
      ['ssh_key_id', 'uuid'],
      ['host_key', 'jsonb'],
      ['tags', 'jsonb'],
      ['variables', 'jsonb'],
      ['status', 'text'],
      ['last_step_key', 'text'],
      ['reached_address', 'text'],
    ],
    times: [],
  },
  {
    table: 'host_results',
    plain: [
      ['step_index', 'int'],
      ['server_id', 'uuid'],
      ['status', 'text'],
      ['attempts', 'int'],
      ['epoch', 'int'],
      ['exit_code', 'int'],
      ['signal', 'text'],
      ['code', 'text'],
      ['message', 'text'],
      ['changed', 'boolean'],
      ['verdict', 'text'],
      ['journaled', 'boolean'],
      ['output_lines', 'bigint'],
      ['output_bytes', 'bigint'],
    ],
    times: ['started_at', 'finished_at', 'command_started_at'],
    further: { dispatch_id: sql`case when s.attempts > 0 then ${DISPATCH_ID} end` },
  },
  {
    table: 'dispatches',
    plain: [
      ['step_index', 'int'],
      ['server_id', 'uuid'],
      ['attempt', 'int'],
      ['epoch', 'int'],
    ],
    times: ['at'],
    further: { dispatch_id: DISPATCH_ID },
  },
  {
    table: 'output_chunks',
    plain: [
      ['seq', 'bigint'],
      ['step_index', 'int'],
      ['server_id', 'uuid'],
      ['stream', 'smallint'],
      ['first_line', 'int'],
      ['line_count', 'int'],
    ],
    times: ['at'],
    further: { continues: sql`false`, open_ended: sql`false`, data: sql`decode(s.text, 'base64')` },
    needed: [['text', 'text']],
  },
  {
    table: 'execution_events',
    plain: [
      ['seq', 'bigint'],
      ['type', 'text'],
      ['data', 'jsonb'],
    ],
    times: ['at'],
  },
  {
    table: 'approvals',
    plain: [
      ['round', 'int'],
      ['state', 'text'],
      ['required_approvals', 'int'],
      ['allow_self_approval', 'boolean'],
      ['digest', 'text'],
      ['requested_by', 'uuid'],
      ['requested_by_name', 'text'],
    ],
    times: ['decided_at'],
    further: { requested_at: sql`r.at`, expires_at: sql`r.at + s.ttl_seconds * interval '1 second'` },
    needed: [['ttl_seconds', 'int']],
  },
  {
    table: 'approval_decisions',
    plain: [
      ['round', 'int'],
      ['user_id', 'uuid'],
      ['user_name', 'text'],
      ['decision', 'text'],
      ['comment', 'text'],
      ['digest', 'text'],
    ],
    times: ['at'],
  },
];

/**
 * Returns one INSERT for the table, which gives each run the rows of its history.
 * @param tenantId SQL of the tenant's ID
 * @param runs SQL of the runs, as JSON
 * @param histories SQL of the rows of the histories, as JSON
 * @sql insert into executions (id, tenant_id, plan_id) select e.id, e.tenant_id, e.plan_id from executions e
 */
function insertInto(
  { table, plain, times, further = {}, needed = [] }: TableMapping,
  tenantId: Sql,
  runs: Sql,
  histories: Sql,
): Sql {
  const more = Object.entries(table === 'executions' ? further : { execution_id: sql`r.id`, ...further });
  const names = ['tenant_id', ...more.map(([name]) => name), ...plain.map(([name]) => name), ...times];
  const values = [
    sql`${tenantId}::uuid`,
    ...more.map(([, value]) => value),
    ...plain.map(([name]) => sql.raw(`s.${name}`)),
    ...times.map((name) => momentSql(sql.raw(`s.${name}`))),
  ];
  const fields = [...plain, ...needed, ...times.map((name): ColumnType => [name, 'float8'])];
  return sql`insert into ${sql.raw(table)} (${sql.raw(names.join(', '))}) select ${sql.join(values)}
    from jsonb_to_recordset(${runs}::jsonb) as r (id uuid, course int, at timestamptz, pace float8)
    join jsonb_to_recordset(${histories}::jsonb) as s (course int, ${sql.raw(fields.map((field) => field.join(' ')).join(', '))})
      on s.course = r.course
    order by r.id`;
}

/** Stores runs and their child rows under the tenant's row-level security, like the application. */
export async function insertRuns(tx: EntityManager, tenantId: string, { courses, runs }: RunBatch): Promise<void> {
  const rowsOf = courses.map(toCourseRows);
  const begun = JSON.stringify(runs.map(({ id, course, at, pace }) => ({ id, course, at, pace })));
  for (const mapping of [EXECUTIONS, ...CHILD_TABLES]) {
    const histories = rowsOf.flatMap((course, index) =>
      course[mapping.table].map((row) => ({ course: index, ...row })),
    );
    if (histories.length > 0)
      await affected(tx, insertInto(mapping, sql`${tenantId}`, sql`${begun}`, sql`${JSON.stringify(histories)}`));
  }
  await affected(
    tx,
    sql`with ended as (
        update executions e set stored_bytes = (select coalesce(sum(r.output_bytes), 0) from host_results r where r.execution_id = e.id)
          where e.tenant_id = ${tenantId} and e.id = any (${runs.map(({ id }) => id)}) and e.finished_at is not null
          returning e.environment_id, e.stored_bytes)
      insert into execution_totals (tenant_id, environment_id, runs, bytes)
        select ${tenantId}::uuid, environment_id, count(*), sum(stored_bytes) from ended group by environment_id`,
  );
}

/** Returns the audit entries of the runs, oldest first. */
export function toPastEntries({ courses, runs }: RunBatch): PastAuditEntry[] {
  return runs
    .flatMap((run) => entriesOfRun(run, courses))
    .sort((a, b) => a.ms - b.ms)
    .map(({ entry }) => entry);
}

function entriesOfRun({ id, course, at, pace, requestId }: SeedRun, courses: RunBatch['courses']) {
  const rowsOf = courses[course];
  if (!rowsOf) return [];
  return rowsOf.facts.map(({ ms, by, action, before, after }, index) => {
    const moment = at.getTime() + Math.round(ms * pace);
    const run = { resourceId: id, resourceName: rowsOf.start.plan.name };
    const request = index === 0 ? { requestId } : {};
    const fact = { at: new Date(moment), by: by ?? 'engine', action, before, after, ...run, ...request };
    return { ms: moment, entry: pastEntry(fact) };
  });
}
