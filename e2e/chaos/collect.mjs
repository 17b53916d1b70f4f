import { setTimeout as sleep } from 'node:timers/promises';

const ANSWER_MS = 30_000;
const ms = (column) => `(extract(epoch from ${column}) * 1000)::float8`;

/** Returns the rows that the checker compares, see `checker.mjs`. Times are in ms since 1970. */
export async function collectRows(watch, environmentIds) {
  const ask = (sql) => retryWhileDatabaseAway(watch, sql, [environmentIds]);
  const ofTrial = 'execution_id in (select id from executions where environment_id = any ($1::uuid[]))';
  return {
    now: (await retryWhileDatabaseAway(watch, `select ${ms('now()')} as now`, []))[0].now,
    runs: await ask(
      `select id, plan_name as "planName", plan_id as "planId", environment_id as "environmentId", status, status_code as code, execution_mode as mode,
          epoch, owner, lease_until, note as marker, parent_id as parent, pause_reason as "pauseReason",
          ${ms('pause_expires_at')} as "pauseExpiresAt", ${ms('created_at')} as "createdAt", ${ms('finished_at')} as "finishedAt",
          snapshot ->> 'fromStepKey' as "fromStep", on_overlap as "onOverlap"
        from executions where environment_id = any ($1::uuid[]) order by id`,
    ),
    steps: await ask(
      `select execution_id as run, step_index as index, key, status, reason from execution_steps where ${ofTrial}`,
    ),
    hosts: await ask(
      `select execution_id as run, server_id as server, tags ->> 'host' as host, hostname, port, status, ordinal
        from execution_hosts where ${ofTrial}`,
    ),
    results: await ask(
      `select r.execution_id as run, r.step_index as index, r.server_id as server, r.status, r.attempts, r.dispatch_id as "dispatchId",
          r.exit_code as "exitCode", r.code, r.message, r.changed, r.resolution, r.resolved_by is not null as "byPerson"
        from host_results r where ${ofTrial}`,
    ),
    dispatches: await ask(
      `select d.execution_id as run, d.step_index as index, d.server_id as server, d.dispatch_id as "dispatchId", d.attempt, d.epoch,
          ${ms('d.at')} as at, c.status, c.run_epoch as "runEpoch", c.slice_epoch as "sliceEpoch", c.sliced, c.approval
        from dispatches d left join chaos_dispatches c using (dispatch_id) where d.${ofTrial} order by d.at`,
    ),
    stepEntries: await ask(
      `select execution_id as run, step_index as index, server_id as server, after_seq::int as after, pause_asked as "pauseRequested"
        from chaos_step_entries where ${ofTrial}`,
    ),
    slices: await ask(
      `select execution_id as run, step_index as index, cardinality(server_ids) as hosts, owner, epoch, fault,
          finished_at is not null as finished from execution_slices where ${ofTrial}`,
    ),
    outputs: await ask(
      `select execution_id as run, step_index as index, server_id as server,
          encode(string_agg(data, ''::bytea order by seq), 'escape') as text
        from output_chunks where stream = 1 and ${ofTrial} group by 1, 2, 3`,
    ),
    events: await ask(
      `select execution_id as run, seq::int, type, data, ${ms('at')} as at from execution_events where ${ofTrial} order by 1, 2`,
    ),
    approvals: await ask(
      `select a.execution_id as run, a.round, a.state, a.required_approvals as required, a.requested_by as "requestedBy",
          coalesce((select json_agg(json_build_object('user', d.user_id, 'decision', d.decision))
            from approval_decisions d where d.execution_id = a.execution_id and d.round = a.round and d.withdrawn_at is null), '[]') as decisions
        from approvals a where a.${ofTrial} order by 1, 2`,
    ),
    audit: await ask(
      `select resource_id as run, action, before ->> 'status' as before, after ->> 'status' as after, after ->> 'action' as what,
          after ->> 'resolution' as resolution from audit_entries
        where resource_type = 'execution'
          and resource_id in (select id from executions where environment_id = any ($1::uuid[])) order by id`,
    ),
    guardKeys: await ask(`select key, execution_id as run from guard_keys where ${ofTrial}`),
    queue: await ask(`select execution_id as run, reason, arrival from guard_queue where ${ofTrial}`),
  };
}

async function retryWhileDatabaseAway(watch, sql, values) {
  const deadline = performance.now() + ANSWER_MS;
  for (;;) {
    const rows = await watch.ask(sql, values);
    if (rows) return rows;
    if (performance.now() > deadline) throw new Error('The database did not come back after the trial.');
    await sleep(200);
  }
}
