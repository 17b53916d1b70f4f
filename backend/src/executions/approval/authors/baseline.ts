import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../../common/database/sql.js';
import type { Snapshot } from '../../record/execution-row.js';

export interface FrozenGitPath {
  gitSourceId: string;
  path: string;
  commit: string;
}

/**
 * Earlier run of the plan with which content is compared. Its content was approved or confirmed in this environment.
 */
export interface ApprovedBaseline {
  executionId: string;
  createdAt: Date;
  planRevision: number;
  revisions: ReadonlyMap<string, number>;
  files: readonly FrozenGitPath[];
  jumpServers: Snapshot['jumpServers'];
}

export interface BaselineRun {
  tenantId: string;
  executionId: string | null;
  planId: string;
  planRevision: number;
  environmentId: string;
}

const IS_APPROVED_SQL = sql`(select a.state from approvals a where a.execution_id = r.id order by a.round desc limit 1) = 'approved'`;

interface BaselineRow {
  id: string;
  created_at: Date;
  plan_revision: number;
  revisions: Record<string, number> | null;
  files: FrozenGitPath[] | null;
  jump_servers: Snapshot['jumpServers'] | null;
}

/**
 * Returns the last run of the plan that began in the environment. Ignores dry runs, and runs of a newer revision of the
 * plan.
 * @param approved whether the run must have been approved
 */
export async function findBaseline(
  tx: EntityManager,
  run: BaselineRun,
  approved: boolean,
): Promise<ApprovedBaseline | null> {
  const last = await row(
    tx,
    sql<BaselineRow>`
      select last.id, last.created_at, last.plan_revision, e.snapshot->'jumpServers' as jump_servers,
        (select jsonb_object_agg(used.key, used.value->'revision') from (
          select * from jsonb_each(coalesce(e.snapshot #> '{library,scripts}', '{}'))
          union all select * from jsonb_each(coalesce(e.snapshot #> '{library,templates}', '{}'))
          union all select called.value->>'planId', called.value
            from jsonb_array_elements(coalesce(e.snapshot->'calledPlans', '[]')) called
        ) used) as revisions,
        (select jsonb_agg(jsonb_build_object('gitSourceId', git->'gitSourceId', 'path', git->'path', 'commit', git->'commit')) from (
          select value->'git' as git from jsonb_each(coalesce(e.snapshot #> '{library,scripts}', '{}'))
          union all select value->'git' from jsonb_each(coalesce(e.snapshot #> '{library,templates}', '{}'))
          union all select value - 'base64' from jsonb_each(coalesce(e.snapshot #> '{library,files}', '{}'))
        ) used where git is not null) as files
      from (
        select r.id, r.created_at, r.plan_revision from executions r
          where r.tenant_id = ${run.tenantId} and r.plan_id = ${run.planId} and r.environment_id = ${run.environmentId}
            and r.started_at is not null and r.execution_mode <> 'dry_run' and r.plan_revision <= ${run.planRevision}
            and r.id is distinct from ${run.executionId}::uuid and (not ${approved}::boolean or ${IS_APPROVED_SQL})
          order by r.started_at desc limit 1
      ) last join executions e on e.id = last.id`,
  );
  if (!last) return null;
  return {
    executionId: last.id,
    createdAt: last.created_at,
    planRevision: last.plan_revision,
    revisions: new Map([[run.planId, last.plan_revision], ...Object.entries(last.revisions ?? {})]),
    files: last.files ?? [],
    jumpServers: last.jump_servers ?? undefined,
  };
}

/** Search limit: newest approved runs of the environment for a jump server or SSH key, and newest runs of a host. */
const MAX_SEARCHED_RUNS = 20;
/** Number of newest runs of an environment among which approved ones are searched. */
const MAX_SCANNED_RUNS = 1000;

const RAN_APPROVED_SQL = sql`r.started_at is not null and r.execution_mode <> 'dry_run' and ${IS_APPROVED_SQL}`;

export interface ConnectionUse {
  hosts: readonly string[];
  jumpServers: readonly string[];
  sshKeys: readonly string[];
}

/**
 * Returns the creation time of the last approved run in the environment, and of the last one that used each record. A
 * record that none of the searched runs used is missing from the result and counts as never used.
 */
export async function findLastApprovedConnections(
  tx: EntityManager,
  { tenantId, environmentId, executionId }: BaselineRun,
  { hosts, jumpServers, sshKeys }: ConnectionUse,
): Promise<{ last: Date | null; used: ReadonlyMap<string, Date> }> {
  const found = await rows(
    tx,
    sql<{ id: string | null; at: Date | null }>`with recent as (
        select r.id, r.created_at, r.snapshot->'jumpServers' as jumps, r.snapshot->'sshKeys' as keys
          from (select * from executions where tenant_id = ${tenantId} and environment_id = ${environmentId}
            order by id desc limit ${MAX_SCANNED_RUNS}) r
          where r.id is distinct from ${executionId}::uuid and ${RAN_APPROVED_SQL} order by r.id desc limit ${MAX_SEARCHED_RUNS}
      )
      select null as id, max(created_at) as at from recent having count(*) > 0
      union all
      select host.id::text, (select max(r.created_at) from (
            select execution_id from execution_hosts where tenant_id = ${tenantId} and server_id = host.id
              order by execution_id desc limit ${MAX_SEARCHED_RUNS}) own
          join executions r on r.id = own.execution_id
          where r.tenant_id = ${tenantId} and r.environment_id = ${environmentId} and r.id is distinct from ${executionId}::uuid
            and ${RAN_APPROVED_SQL})
        from unnest(${hosts}::uuid[]) host (id)
      union all
      select record.id, max(created_at) from recent, unnest(${[...jumpServers, ...sshKeys]}::text[]) record (id)
        where jumps ? record.id or keys ? record.id group by record.id`,
  );
  const used = new Map(found.flatMap(({ id, at }) => (id !== null && at !== null ? [[id, at] as const] : [])));
  return { last: found.find(({ id }) => id === null)?.at ?? null, used };
}
