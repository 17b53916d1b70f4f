import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import type { Snapshot } from '../record/execution-row.js';
import type { ExecutionMode, HostStatus } from '../lifecycle/statuses.js';
import type { EarlierResult, EarlierResults } from './continuation.js';

const MAX_ANCESTORS = 50;

export interface ContinuedRun {
  id: string;
  tenant_id: string;
  parent_id: string | null;
  execution_mode: ExecutionMode;
  snapshot: Pick<Snapshot, 'plan' | 'fromStepKey' | 'inherited'>;
}

interface InheritedRow {
  step_index: number;
  server_id: string;
  status: HostStatus;
  changed: boolean;
  from: string;
  step: number;
}

interface InheritedResultGroup {
  step_index: number;
  status: HostStatus;
  changed: boolean;
  ids: string[];
}

/**
 * Returns the results of a run, including those that it inherited. A person's resolution of an unknown result counts as
 * the result. A dry run has no results.
 */
export async function loadEarlierResults(tx: EntityManager, run: ContinuedRun, depth = 0): Promise<EarlierResults> {
  const { steps } = run.snapshot.plan;
  const found = new Map<string, Map<string, EarlierResult>>();
  const add = (key: string, host: string, result: EarlierResult): void => {
    const known = found.get(key) ?? new Map<string, EarlierResult>();
    known.set(host, result);
    found.set(key, known);
  };
  await addInheritedResults(tx, run, depth, add);
  if (run.execution_mode === 'dry_run') return found;
  const groups = await rows(
    tx,
    sql<InheritedResultGroup>`select step_index, status, changed, array_agg(server_id) as ids from (
        select step_index, server_id, coalesce(changed, false) as changed, case resolution
            when 'marked_succeeded' then 'SUCCEEDED' when 'marked_failed' then 'FAILED' when 'skipped' then 'SKIPPED'
            else status end as status
          from host_results where execution_id = ${run.id} and status not in ('PENDING', 'CONNECTING', 'RUNNING')
            and (code is null or code <> 'too_many_failures')
      ) r group by step_index, status, changed`,
  );
  for (const { step_index, status, changed, ids } of groups) {
    const key = steps[step_index]?.key;
    if (key !== undefined) for (const id of ids) add(key, id, { status, changed, from: run.id, step: step_index });
  }
  return found;
}

/** Returns the keys of steps that a person skipped before they started, in the run or in its original runs. */
export async function loadWaivedSteps(tx: EntityManager, run: ContinuedRun, depth = 0): Promise<Set<string>> {
  const skipped = await rows(
    tx,
    sql<{ key: string }>`select s.key from execution_steps s
      where s.execution_id = ${run.id} and s.status = 'SKIPPED' and s.started_at is null
        and exists (select 1 from execution_events e where e.execution_id = ${run.id} and e.type = 'decision.made'
          and e.data->>'stepKey' = s.key and e.data->>'action' = 'skip')`,
  );
  const keys = new Set(skipped.map(({ key }) => key));
  const left = listOmittedSteps(run);
  const parent = left.size > 0 ? await findOriginalRun(tx, run, depth) : null;
  if (parent) for (const key of await loadWaivedSteps(tx, parent, depth + 1)) if (left.has(key)) keys.add(key);
  return keys;
}

function listOmittedSteps({ snapshot }: ContinuedRun): Set<string> {
  const keys = snapshot.plan.steps.map(({ key }) => key);
  const from = snapshot.fromStepKey === undefined ? 0 : keys.indexOf(snapshot.fromStepKey);
  return new Set([...keys.slice(0, Math.max(from, 0)), ...(snapshot.inherited?.done ?? [])]);
}

async function addInheritedResults(
  tx: EntityManager,
  run: ContinuedRun,
  depth: number,
  add: (key: string, host: string, result: EarlierResult) => void,
): Promise<void> {
  const left = listOmittedSteps(run);
  const parent = left.size > 0 ? await findOriginalRun(tx, run, depth) : null;
  if (parent) {
    const earlier = await loadEarlierResults(tx, parent, depth + 1);
    for (const key of left) for (const [host, result] of earlier.get(key) ?? []) add(key, host, result);
  }
  if (!run.snapshot.inherited) return;
  const inherited = await rows(
    tx,
    sql<InheritedRow>`select step_index, server_id, status, changed, from_execution_id as from, from_step as step
      from inherited_results where execution_id = ${run.id}`,
  );
  for (const { step_index, server_id, ...result } of inherited) {
    const key = run.snapshot.plan.steps[step_index]?.key;
    if (key !== undefined) add(key, server_id, result);
  }
}

async function findOriginalRun(tx: EntityManager, run: ContinuedRun, depth: number): Promise<ContinuedRun | null> {
  if (run.parent_id === null || depth >= MAX_ANCESTORS) return null;
  const parent = await row(
    tx,
    sql<ContinuedRun>`select id, tenant_id, parent_id, execution_mode, snapshot from executions
      where tenant_id = ${run.tenant_id} and id = ${run.parent_id}`,
  );
  return parent ?? null;
}
