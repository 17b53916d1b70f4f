/** Gathers, after a trial, what the database holds of its runs. */
import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER_MS = 30_000;

/** The rows that the checker compares; see `checker.mjs` for what they hold. */
export async function collectRows(watch, environmentId) {
  const ask = (sql) => patiently(watch, sql, [environmentId]);
  const ofTrial = 'execution_id in (select id from executions where environment_id = $1)';
  const [{ journal }] = await patiently(watch, "select to_regclass('dispatches') is not null as journal", []);
  return {
    runs: await ask(
      `select id, plan_name as plan, status, status_code as code, epoch, owner, lease_until, created_at, finished_at,
          snapshot -> 'variables' ->> 'CHAOS_RUN' as marker
        from executions where environment_id = $1 order by id`,
    ),
    steps: await ask(
      `select execution_id as run, step_index as index, key, status from execution_steps where ${ofTrial}`,
    ),
    hosts: await ask(
      `select execution_id as run, server_id as server, tags ->> 'host' as host, hostname, port, status
        from execution_hosts where ${ofTrial}`,
    ),
    results: await ask(
      `select r.execution_id as run, r.step_index as index, r.server_id as server, r.status, r.attempts, r.dispatch_id as "dispatchId",
          r.epoch, r.exit_code as "exitCode", r.code, r.message from host_results r where ${ofTrial}`,
    ),
    dispatches: journal
      ? await ask(
          `select execution_id as run, step_index as index, server_id as server, dispatch_id as "dispatchId", attempt, epoch, at
            from dispatches where ${ofTrial} order by at`,
        )
      : null,
    outputs: await ask(
      `select execution_id as run, step_index as index, server_id as server,
          encode(string_agg(data, ''::bytea order by seq), 'escape') as text
        from output_chunks where stream = 1 and ${ofTrial} group by 1, 2, 3`,
    ),
    events: await ask(
      `select execution_id as run, seq::int, type, data from execution_events where ${ofTrial} order by 1, 2`,
    ),
    audit: await ask(
      `select resource_id as run, before ->> 'status' as before, after ->> 'status' as after from audit_entries
        where resource_type = 'execution' and after ? 'status'
          and resource_id in (select id from executions where environment_id = $1) order by id`,
    ),
    guardKeys: await ask(`select key, execution_id as run from guard_keys where ${ofTrial}`),
  };
}

async function patiently(watch, sql, values) {
  const deadline = performance.now() + ANSWER_MS;
  for (;;) {
    const rows = await watch.ask(sql, values);
    if (rows) return rows;
    if (performance.now() > deadline) throw new Error('The database did not come back after the trial.');
    await sleep(200);
  }
}
