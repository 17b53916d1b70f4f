import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

const SCHEDULE_COUNT = 60;
const FEW = 3;

let lab: RunLab;
const { workProcess, endWorkers } = labWorkers(() => lab.runward);

beforeAll(async () => {
  lab = await startRunLab();
});
afterAll(async () => {
  await endWorkers();
  await lab.close();
});

const query = <T extends object>(sql: string, values: unknown[] = []) => lab.runward.database.query<T>(sql, values);

/** Creates schedules of dry runs, which do not conflict. */
async function schedules(count: number, planId: string): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    const body = {
      name: `each-minute-${n}`,
      planId,
      execution_mode: 'dry_run',
      everySeconds: 86_400,
      onMissed: 'once',
    };
    const { status, text } = await lab.api.post('/api/schedules', body);
    if (status !== 201) throw new Error(text);
  }
}
const makeDue = (round: number, at = new Date(Math.floor(Date.now() / 1000) * 1000 - 1_000_000)) =>
  query('update schedules set next_at = $1, due_at = $1, claimed_until = null', [
    new Date(at.getTime() + round * 1000),
  ]);
const seeTenant = (tenantId: string) => query(`select set_config('app.tenant', $1, false)`, [tenantId]);
const FIRED = 'select fired_at from schedule_fires where tenant_id = $1 and at = $2';
const firedAt = async (tenantId: string, at: Date) =>
  (await query<{ fired_at: Date }>(FIRED, [tenantId, at])).map((row) => +row.fired_at);
const left = async () =>
  Number((await query<{ n: string }>('select count(*) as n from schedules where due_at <= now()'))[0]?.n);

describe('schedules that are due at the same time', () => {
  it('are started exactly once by three processes, even when these are killed at random', async () => {
    const planId = await lab.plan(['true']);
    await schedules(SCHEDULE_COUNT, planId);
    const processes = await Promise.all([workProcess(), workProcess(), workProcess()]);
    for (const [round, victim] of processes.slice(0, 2).entries()) {
      await makeDue(round);
      await eventually('some were started', async () => (await left()) < SCHEDULE_COUNT - 5 - 15 * round);
      await victim.end('SIGKILL');
      // Meanwhile, claims of the killed process are released as if they had expired.
      await eventually('all were started', async () => {
        await query(`update schedules set claimed_until = null where claimed_until < now() + interval '55 seconds'`);
        return (await left()) === 0;
      });
    }
    const starts = await query<{ schedule_id: string; n: number; runs: number }>(
      `select f.schedule_id, count(*)::int as n, count(distinct f.execution_id)::int as runs
        from schedule_fires f where f.outcome = 'started' group by 1 having count(*) <> 2 or count(distinct f.execution_id) <> 2`,
    );
    expect(starts).toEqual([]);
    const runs = await query<{ n: number; schedules: number }>(
      'select count(*)::int as n, count(distinct schedule_id)::int as schedules from executions where schedule_id is not null',
    );
    expect(runs).toEqual([{ n: 2 * SCHEDULE_COUNT, schedules: SCHEDULE_COUNT }]);
  }, 240_000);

  it('of one tenant delay those of another only briefly', async () => {
    const other = await lab.runward.tenant('few');
    const make = async (path: string, body: object) => (await other.api.post<{ id: string }>(path, body)).body.id;
    const environmentId = await make('/api/environments', { name: 'few' });
    // The environment has no servers, so each start is refused. A refusal takes a worker as long as a start.
    const planId = await make('/api/plans', { name: 'few', environmentId, steps: [{ key: 'one', command: 'true' }] });
    for (let n = 1; n <= FEW; n += 1)
      await make('/api/schedules', { name: `few-${n}`, planId, execution_mode: 'dry_run', everySeconds: 86_400 });
    // All schedules are due at the same time, in a few seconds.
    const at = new Date((Math.floor(Date.now() / 1000) + 4) * 1000);
    for (const { tenantId } of [lab.admin, other]) {
      await seeTenant(tenantId);
      await makeDue(0, at);
    }
    const last = Math.max(
      ...(await eventually('those of the other were served', async () => {
        const times = await firedAt(other.tenantId, at);
        return times.length === FEW && times;
      })),
    );
    await seeTenant(lab.admin.tenantId);
    const later = await eventually('the rest was served', async () => {
      const times = await firedAt(lab.admin.tenantId, at);
      return times.length === SCHEDULE_COUNT && times.filter((time) => time > last);
    });
    expect(later.length).toBeGreaterThan(SCHEDULE_COUNT / 3);
  });
});
