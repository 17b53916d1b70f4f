/**
 * Measures the delay of schedules that are all due at the same minute, with several workers, and detects schedules that
 * started twice. Each schedule starts a dry run on one unreachable host; dry runs do not conflict. Build first. Usage:
 * node tools/bench/schedules.mjs [schedules] [workers] [jitter in seconds]
 *
 * Machines are shared and noisy: the delay depends on how many runs the machine starts per second.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { load, startBench } from './lib/bench-runward.mjs';
import { storeServers } from './lib/stored-servers.mjs';

const SCHEDULES = Number(process.argv[2] ?? 10_000);
const WORKERS = Number(process.argv[3] ?? 3);
const JITTER = Number(process.argv[4] ?? 0);

const bench = await startBench();
const workers = [];
try {
  const { environmentId } = await storeServers(bench, 1);
  const steps = [{ key: 'one', command: 'true' }];
  const { id: planId } = await bench.send('POST', '/api/plans', { name: 'bench', environmentId, steps });
  const first = await bench.send('POST', '/api/schedules', {
    ...{ name: 'schedule 1', planId, execution_mode: 'dry_run', everySeconds: 86_400, onMissed: 'once' },
    jitterSeconds: JITTER,
  });
  await bench.sql(
    `insert into schedules (id, tenant_id, name, plan_id, environment_id, execution_mode, every_seconds, every_from, time_zone,
        jitter_seconds, on_overlap, on_missed, enabled, owner_id, owner_name, next_at, due_at)
      select gen_random_uuid(), tenant_id, 'schedule ' || n, plan_id, environment_id, execution_mode, every_seconds, every_from,
          time_zone, jitter_seconds, on_overlap, on_missed, enabled, owner_id, owner_name, next_at, due_at
        from schedules, generate_series(2, $2::int) n where id = $1`,
    [first.id, SCHEDULES],
  );
  await bench.sql('vacuum analyze');
  for (let n = 0; n < WORKERS; n += 1) workers.push(await bench.worker());
  console.log(`${SCHEDULES} schedules, ${WORKERS} workers; load ${load()}`);
  // Random jitter. Runward derives it from the schedule's ID instead, which makes no difference here.
  await bench.sql(
    `update schedules set next_at = x.at, due_at = x.at + random() * jitter_seconds * interval '1 second'
      from (select date_trunc('second', now()) + interval '5 seconds' as at) x`,
  );
  const startedAt = performance.now();
  for (let done = 0; done < SCHEDULES; await pause(2_000)) {
    [{ done }] = await bench.sql('select count(*)::int as done from schedule_fires');
    if (performance.now() - startedAt > 1_800_000) throw new Error(`After half an hour only ${done} were started.`);
  }
  const [delay] = await bench.sql(
    `select percentile_cont(array[0.5, 0.99, 1]) within group (order by extract(epoch from fired_at - at)) as seconds,
        extract(epoch from max(fired_at) - min(fired_at)) as all_in from schedule_fires`,
  );
  const [{ doubled }] = await bench.sql(
    `select count(*)::int as doubled from (select schedule_id from schedule_fires group by 1 having count(*) > 1
      union all select schedule_id from executions where schedule_id is not null group by 1 having count(*) > 1) x`,
  );
  const outcomes = await bench.sql('select outcome, code, count(*)::int as n from schedule_fires group by 1, 2');
  const [p50, p99, maxSeconds] = delay.seconds.map((seconds) => Number(seconds).toFixed(1));
  console.log(
    `delay p50 ${p50} s, p99 ${p99} s, longest ${maxSeconds} s; all within ${Number(delay.all_in).toFixed(1)} s`,
  );
  console.log(
    `doubled: ${doubled}; ${outcomes.map(({ outcome, code, n }) => `${outcome} ${code ?? ''} ${n}`).join(', ')}`,
  );
} finally {
  for (const worker of workers) await worker.end();
  await bench.close();
}
