/** Stores runs and logs in the database of a bench, without a worker. */

/** Lines of a chunk of 16 KB, and their length in bytes with the line end. */
const CHUNK = { lines: 80, bytes: 200 };

/** Creates an environment, a key and a server, which plans of the bench use. */
export async function createInventory({ send }) {
  const { id: environmentId } = await send('POST', '/api/environments', { name: 'bench' });
  const { id: sshKeyId } = await send('POST', '/api/ssh-keys', { name: 'bench', generate: { type: 'ed25519' } });
  const login = { hostname: 'web.invalid', username: 'deploy', environmentId, sshKeyId };
  await send('POST', '/api/inventory/servers', { ...login, name: 'web-1' });
  return environmentId;
}

/** Starts a run without a worker, and stores its end with hosts and results. */
export async function storeRun({ sql, send }, { environmentId, stepCount, hostCount }) {
  const steps = Array.from({ length: stepCount }, (_, index) => ({ key: `s${index}`, command: 'true' }));
  const { id: planId } = await send('POST', '/api/plans', {
    name: `${hostCount} ${stepCount} ${Date.now()}`,
    environmentId,
    steps,
  });
  const { id } = await send('POST', '/api/executions', { planId, execution_mode: 'auto' });
  await sql(
    `insert into execution_hosts select (jsonb_populate_record(h, jsonb_build_object('ordinal', n, 'name', 'web-' || n + 1,
        'server_id', lpad(n::text, 32, '0')::uuid))).*
      from execution_hosts h, generate_series(1, $2::int - 1) n where h.execution_id = $1`,
    [id, hostCount],
  );
  await sql(
    `insert into host_results (tenant_id, execution_id, step_index, server_id, status, exit_code, attempts, started_at, finished_at)
      select tenant_id, execution_id, step, server_id, case when ordinal % 200 = 3 and step = $2::int - 1 then 'FAILED' else 'SUCCEEDED' end,
          0, 1, now(), now() + interval '2 seconds'
        from execution_hosts, generate_series(0, $2::int - 1) step where execution_id = $1`,
    [id, stepCount],
  );
  await sql(`update execution_hosts set status = 'SUCCEEDED' where execution_id = $1`, [id]);
  await sql(
    `update execution_steps set status = 'SUCCEEDED', started_at = now(), finished_at = now() where execution_id = $1`,
    [id],
  );
  await sql(`update executions set status = 'SUCCEEDED', started_at = now(), finished_at = now() where id = $1`, [id]);
  await sql('delete from guard_keys');
  return id;
}

export async function storeLog({ sql }, id, lines) {
  await sql(
    `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
      select h.tenant_id, h.execution_id, n, 0, h.server_id, 1, 1 + (n - 1) * $3::int, $3, false, false, now(),
          (select string_agg(convert_to(rpad('line ' || (n - 1) * $3::int + m || case when n = $2::int / 2 and m = 1 then ' needle' else '' end,
              $4::int - 1, ' a word 0123456789') || chr(10), 'UTF8'), null order by m) from generate_series(1, $3::int) m)
        from execution_hosts h, generate_series(1, $2::int) n where h.execution_id = $1`,
    [id, Math.ceil(lines / CHUNK.lines), CHUNK.lines, CHUNK.bytes],
  );
  await sql('vacuum analyze output_chunks');
}
