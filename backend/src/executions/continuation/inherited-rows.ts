import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { EntityManager } from 'typeorm';
import { affected, rows, sql } from '../../common/database/sql.js';
import { conflict } from '../../common/errors/problem.js';
import type { StepFacts } from '../../plans/rendering/command-facts.js';
import type { HostStatus } from '../lifecycle/statuses.js';
import type { RunRef } from '../record/run-head.js';
import type { EarlierResults, StepHostIds } from './continuation.js';

export interface InheritedResult {
  step_index: number;
  server_id: string;
  status: HostStatus;
  exit_code: number | null;
  changed: boolean;
  outputs: Record<string, string> | null;
  done: boolean;
  from_execution_id: string;
  from_step: number;
}

const MAX_RESULTS = 100_000;
const MAX_OUTPUT_BYTES = 8_388_608;

/**
 * Collects the results that a run inherits: results that its steps read, and results of hosts that have done a step
 * which other hosts still run. For a step that runs once, takes the result of the host that ran it.
 * @throws Problem 409 `too_much_to_inherit`
 */
export async function collectInheritedResults(
  tx: EntityManager,
  keys: readonly string[],
  results: EarlierResults,
  {
    needed,
    done,
    once: runOnceSteps,
  }: { needed: readonly StepHostIds[]; done: readonly StepHostIds[]; once: ReadonlySet<number> },
): Promise<InheritedResult[]> {
  const collected = new Map<string, InheritedResult>();
  const take = ({ step, hosts }: StepHostIds, isDone: boolean): void => {
    const all = results.get(keys[step] ?? '');
    for (const host of runOnceSteps.has(step) ? (all?.keys() ?? []) : hosts) {
      const result = all?.get(host);
      if (!result) continue;
      const place = `${step} ${host}`;
      collected.set(place, {
        step_index: step,
        server_id: host,
        status: result.status,
        exit_code: null,
        changed: result.changed,
        outputs: null,
        done: isDone || (collected.get(place)?.done ?? false),
        from_execution_id: result.from,
        from_step: result.step,
      });
    }
  };
  for (const each of needed) take(each, false);
  for (const each of done) take(each, true);
  if (collected.size > MAX_RESULTS) throw toTooManyResultsProblem();
  const list = [...collected.values()].sort(
    (a, b) => a.step_index - b.step_index || (a.server_id < b.server_id ? -1 : 1),
  );
  await addInheritedFacts(tx, list, new Set(needed.map(({ step }) => step)));
  return list;
}

async function addInheritedFacts(
  tx: EntityManager,
  inherited: readonly InheritedResult[],
  needed: ReadonlySet<number>,
): Promise<void> {
  const neededRows = inherited.filter(({ step_index }) => needed.has(step_index));
  if (neededRows.length === 0) return;
  const runs = neededRows.map(({ from_execution_id }) => from_execution_id);
  const steps = neededRows.map(({ from_step }) => from_step);
  const servers = neededRows.map(({ server_id }) => server_id);
  const facts = await rows(
    tx,
    sql<{ n: number; exit_code: number | null; outputs: Record<string, string> | null; bytes: number }>`
      select w.n::int, r.exit_code, coalesce(octet_length(r.outputs::text), 0) as bytes,
          case when sum(coalesce(octet_length(r.outputs::text), 0)) over () <= ${MAX_OUTPUT_BYTES} then r.outputs end as outputs
        from unnest(${runs}::uuid[], ${steps}::int[], ${servers}::uuid[]) with ordinality as w (run, step, server, n)
        join host_results r on r.execution_id = w.run and r.step_index = w.step and r.server_id = w.server`,
  );
  if (facts.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_OUTPUT_BYTES) throw toTooManyResultsProblem();
  for (const { n, exit_code, outputs } of facts) Object.assign(neededRows[n - 1] ?? {}, { exit_code, outputs });
}

const toTooManyResultsProblem = () =>
  conflict(
    'too_much_to_inherit',
    `The run would inherit more than ${MAX_RESULTS} results, or more than ${MAX_OUTPUT_BYTES / 1_048_576} MiB of outputs. Rerun on fewer hosts, or from the first step.`,
  );

/** Returns the SHA-256 of the results in JCS form (RFC 8785). It is part of the run's digest. */
export const hashInheritedResults = (results: readonly InheritedResult[]): string =>
  createHash('sha256')
    .update(canonicalize(results) ?? '')
    .digest('hex');

export async function insertInheritedResults(
  tx: EntityManager,
  ref: RunRef,
  results: readonly InheritedResult[],
): Promise<void> {
  if (results.length === 0) return;
  await affected(
    tx,
    sql`insert into inherited_results (tenant_id, execution_id, step_index, server_id, status, exit_code, changed, outputs, done,
        from_execution_id, from_step)
      select ${ref.tenantId}::uuid, ${ref.executionId}::uuid, x.* from jsonb_to_recordset(${JSON.stringify(results)}::jsonb) as x (step_index int, server_id uuid, status text, exit_code int,
        changed boolean, outputs jsonb, done boolean, from_execution_id uuid, from_step int)`,
  );
}

export interface InheritedFacts extends StepFacts {
  stepIndex: number;
  serverId: string;
}

/** Reads the inherited results of earlier steps on these hosts. For steps that run once, the host does not matter. */
export async function readInheritedFacts(
  tx: EntityManager,
  { executionId }: RunRef,
  stepIndex: number,
  serverIds: readonly string[],
  runOnceSteps: readonly number[],
): Promise<InheritedFacts[]> {
  const found = await rows(
    tx,
    sql<
      Omit<InheritedFacts, 'outputs'> & { outputs: StepFacts['outputs'] | null }
    >`select step_index as "stepIndex", server_id as "serverId", status, changed, exit_code as "exitCode", outputs
      from inherited_results where execution_id = ${executionId} and step_index < ${stepIndex}
        and (server_id = any (${serverIds}) or step_index = any (${runOnceSteps}))`,
  );
  return found.map((fact) => ({ ...fact, outputs: fact.outputs ?? {} }));
}
