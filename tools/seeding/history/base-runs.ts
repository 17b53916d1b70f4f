import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../backend/src/common/database/sql.js';
import type { HostStatus } from '../../../backend/src/executions/lifecycle/statuses.js';
import type { Snapshot } from '../../../backend/src/executions/record/execution-row.js';
import { FROZEN_HOST_COLUMNS_SQL, type FrozenHost } from '../../../backend/src/executions/record/snapshot.js';
import type { ReasonCode } from '../../../backend/src/common/errors/reason-codes.js';

/** Real run that past runs are derived from. */
export interface BaseRun {
  id: string;
  plan_id: string;
  plan_name: string;
  plan_revision: number;
  environment_id: string;
  environment_name: string;
  protected: boolean;
  snapshot: Snapshot;
  hosts: BaseHost[];
  results: BaseResult[];
}

type BaseHost = FrozenHost & { reached_address: string | null };

export interface BaseResult {
  step_index: number;
  server_id: string;
  status: HostStatus;
  exit_code: number | null;
  code: ReasonCode | null;
  message: string | null;
  changed: boolean | null;
  attempts: number;
  duration_ms: number;
  stdout: string;
  stderr: string;
}

/** Returns the newest successful run of each plan in each environment. */
export async function listBaseRuns(tx: EntityManager, tenantId: string): Promise<BaseRun[]> {
  const runs = await rows(
    tx,
    sql<
      Omit<BaseRun, 'hosts' | 'results'>
    >`select distinct on (e.plan_id, e.environment_id) e.id, e.plan_id, e.plan_name,
        e.plan_revision, e.environment_id, e.environment_name, n.protected, e.snapshot
      from executions e join environments n on n.tenant_id = e.tenant_id and n.id = e.environment_id
      where e.tenant_id = ${tenantId} and e.status = 'SUCCEEDED' and e.execution_mode = 'auto'
      order by e.plan_id, e.environment_id, e.id desc`,
  );
  const full: BaseRun[] = [];
  for (const run of runs)
    full.push({
      ...run,
      hosts: await listHosts(tx, tenantId, run.id),
      results: await listResults(tx, tenantId, run.id),
    });
  return full;
}

const listHosts = (tx: EntityManager, tenantId: string, id: string): Promise<BaseHost[]> =>
  rows(
    tx,
    sql<BaseHost>`select ${FROZEN_HOST_COLUMNS_SQL}, reached_address from execution_hosts
      where tenant_id = ${tenantId} and execution_id = ${id} order by ordinal`,
  );

const listResults = (tx: EntityManager, tenantId: string, id: string): Promise<BaseResult[]> =>
  rows(
    tx,
    sql<BaseResult>`select r.step_index, r.server_id, r.status, r.exit_code, r.code, r.message, r.changed, r.attempts,
        coalesce(extract(epoch from r.finished_at - r.started_at) * 1000, 0)::float8 as duration_ms,
        ${outputSql(1)} as stdout, ${outputSql(2)} as stderr
      from host_results r
      where r.tenant_id = ${tenantId} and r.execution_id = ${id}`,
  );

const outputSql = (stream: 1 | 2) => sql`coalesce((select string_agg(convert_from(c.data, 'UTF8'), '' order by c.seq)
    from output_chunks c
    where c.tenant_id = r.tenant_id and c.execution_id = r.execution_id and c.step_index = r.step_index
      and c.server_id = r.server_id and c.stream = ${stream}), '')`;
