/**
 * Sends events to a receiver that fails half of the requests, and kills workers during deliveries. Counts lost events,
 * events out of order within their run, and duplicates. Waiting times are skipped: each poll makes pending deliveries
 * due, and each kill ends the lease of the killed worker. Build first. Usage: node tools/bench/webhook-order.mjs
 * [events] [runs] [kills]
 */
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { load, processorSeconds, startBench } from './lib/bench-runward.mjs';

const EVENTS = Number(process.argv[2] ?? 10_000);
const RUNS = Number(process.argv[3] ?? 500);
const KILL_COUNT = Number(process.argv[4] ?? 3);
const POLL_MS = 100;

const bench = await startBench({ RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8' });
const attempts = [];
const accepted = new Map();
let secret = '';
let unsignedCount = 0;
let calls = 0;
const receiver = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    calls += 1;
    const body = Buffer.concat(parts).toString();
    try {
      new Webhook(secret).verify(body, request.headers);
    } catch {
      unsignedCount += 1;
    }
    const id = request.headers['webhook-id'];
    const { executionId, nr } = JSON.parse(body).data;
    const shouldFail = Math.random() < 0.5;
    attempts.push({ id, executionId, nr, fails: shouldFail });
    if (!shouldFail) accepted.set(id, (accepted.get(id) ?? 0) + 1);
    response.writeHead(shouldFail ? 500 : 200).end();
  });
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));

try {
  const url = `http://127.0.0.1:${receiver.address().port}/`;
  ({ secret } = await bench.send('POST', '/api/webhooks', { name: 'bench', url, events: ['host.finished'] }));
  const runs = Array.from({ length: RUNS }, () => randomUUID());
  await bench.sql(
    `insert into outbox_events (tenant_id, type, execution_id, data)
      select $1, 'host.finished', r, jsonb_build_object('executionId', r, 'nr', n)
        from generate_series(0, $3::int - 1) n, unnest($2::uuid[]) r order by n`,
    [bench.tenantId, runs, EVENTS / RUNS],
  );
  const began = performance.now();
  let worker = await bench.worker();
  const cpu = [];
  const countPending = async () => {
    const [row] = await bench.sql(
      `select (select count(*) from outbox_events)::int + (select count(*) from webhook_deliveries where state = 'pending')::int as left,
          (select count(*) from webhook_deliveries where state = 'dead')::int as dead`,
    );
    return row;
  };
  let killCount = 0;
  for (let now = await countPending(); now.left > 0; now = await countPending()) {
    if (killCount < KILL_COUNT && accepted.size > ((killCount + 1) * EVENTS) / (KILL_COUNT + 1)) {
      killCount += 1;
      cpu.push(await processorSeconds(worker.pid));
      await worker.kill();
      await bench.sql('update webhooks set sender_until = now()');
      worker = await bench.worker();
    }
    await bench.sql('update webhook_deliveries set next_attempt_at = now() where next_attempt_at > now()');
    await bench.sql(`select pg_notify('runward_webhooks', '')`);
    await pause(POLL_MS);
  }
  cpu.push(await processorSeconds(worker.pid));
  const seconds = (performance.now() - began) / 1000;
  await worker.end();

  // Next expected event of each run. An event is sent only after the receiver accepted all earlier ones of its run.
  const next = new Map(runs.map((run) => [run, 0]));
  let earlyCount = 0;
  for (const { executionId, nr, fails } of attempts) {
    const due = next.get(executionId);
    if (nr > due) earlyCount += 1;
    else if (nr === due && !fails) next.set(executionId, due + 1);
  }
  const { dead } = await countPending();
  const doubledCount = [...accepted.values()].reduce((sum, times) => sum + times - 1, 0);
  console.log(
    `${EVENTS} events of ${RUNS} runs, ${killCount} workers killed: lost ${EVENTS - accepted.size}, dead ${dead}, ` +
      `before an earlier one of their run ${earlyCount}, accepted again after a kill ${doubledCount}, with a wrong signature ${unsignedCount}; ` +
      `${calls} calls in ${seconds.toFixed(1)} s, ${((cpu.reduce((a, b) => a + b) / calls) * 1000).toFixed(2)} ms CPU of workers a call; load ${load()}`,
  );
} finally {
  await bench.close();
  receiver.closeAllConnections();
  receiver.close();
}
