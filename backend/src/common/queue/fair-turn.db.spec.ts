import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type PlanNode, readOf } from '../../../test/growth/row-counts.js';
import { type ServerStock, startServerStock } from '../../../test/support/server-database.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { computeFairTurn } from './job-queue.js';
import { QUEUES } from './queue-names.js';

const QUEUE = QUEUES.advanceRun;
const TENANTS = ['a', 'b', 'c'];

let stock: ServerStock;
beforeAll(async () => {
  stock = await startServerStock();
});
afterAll(() => stock.close());
beforeEach(() => stock.database.query('delete from pgboss.job'));

interface Job {
  tenant: string;
  priority: number;
  state?: string;
  inSeconds?: number;
}

async function put(jobs: readonly Job[]): Promise<void> {
  for (const { tenant, priority, state = 'created', inSeconds = 0 } of jobs)
    await stock.database.query(
      `insert into pgboss.job (name, data, priority, state, start_after)
        values ('${QUEUE}', '{"tenantId":"${tenant}"}', ${priority}, '${state}', now() + interval '${inSeconds} s')`,
    );
}

const turnOf = (tenant: string) => stock.units.runWithoutTenant((tx) => computeFairTurn(tx, QUEUE, tenant));

/** Reference implementation of `fairTurn`, without SQL. */
function turnByRule(jobs: readonly Job[], tenant: string): number {
  const waiting = jobs.filter(
    ({ state, inSeconds = 0 }) => state !== 'active' && state !== 'completed' && inSeconds <= 0,
  );
  const turns = (some: readonly Job[]) => some.map(({ priority }) => -priority);
  const own = turns(waiting.filter((job) => job.tenant === tenant));
  return Math.max(0, ...(waiting.length > 0 ? [Math.min(...turns(waiting))] : []), ...own.map((turn) => turn + 1));
}

describe('the turn of a job', () => {
  it("follows the tenant's latest waiting job, and is not before the turn that is being served", async () => {
    for (let seed = 1; seed <= 15; seed += 1) {
      const random = seededRandom(seed);
      const jobs = Array.from(
        { length: random.int(9) },
        (): Job => ({
          tenant: TENANTS[random.int(TENANTS.length)] ?? 'a',
          priority: -random.int(6),
          state: ['created', 'created', 'retry', 'active', 'completed'][random.int(5)],
          inSeconds: random.int(4) === 0 ? 3600 : 0,
        }),
      );
      await stock.database.query('delete from pgboss.job');
      await put(jobs);
      for (const tenant of TENANTS)
        expect({ seed, tenant, turn: await turnOf(tenant) }).toEqual({ seed, tenant, turn: turnByRule(jobs, tenant) });
    }
  });

  it('is calculated from a few rows, for any number of waiting jobs', async () => {
    await stock.database.query(
      `insert into pgboss.job (name, data, priority, state)
        select '${QUEUE}', jsonb_build_object('tenantId', case n % 2 when 0 then 'a' else 'b' end), -n, 'created'
          from generate_series(1, 6000) n`,
    );
    await stock.database.query('analyze');
    const before = stock.statements.length;
    expect(await turnOf('a')).toBe(6001);
    const statement = stock.statements.slice(before).find(({ sql }) => sql.includes('pgboss.job'));
    const { rows, whole } = await stock.units.runWithoutTenant(async (tx) => {
      const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }[]>(
        `explain (analyze, buffers, format json) ${statement!.sql}`,
        statement!.parameters,
      );
      return readOf(row!['QUERY PLAN'][0].Plan, (table) => table.startsWith('job'));
    });
    expect(whole).toEqual([]);
    expect(rows).toBeLessThanOrEqual(10);
  });
});
