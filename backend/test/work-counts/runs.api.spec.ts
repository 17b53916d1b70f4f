import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CountedStatement, type CountedStatements, countStatements } from '../support/counted-statements.js';
import { eventually } from '../support/eventually.js';
import { labWorkers } from '../support/lab-workers.js';
import { type RunLab, startRunLab } from '../support/run-lab.js';

const HOSTS = 20;
/** Tolerance, because it varies which hosts share a transaction. */
const ALLOWED_FACTOR = 1.15;

let lab: RunLab;
let counted: CountedStatements | null = null;
const { work, endWorkers } = labWorkers(() => lab.runward);

beforeAll(async () => {
  lab = await startRunLab({ hosts: HOSTS });
});
afterEach(() => {
  counted?.stop();
  return endWorkers();
});
afterAll(() => lab.close());

async function statementsOf(planId: string, settings = {}): Promise<readonly CountedStatement[]> {
  const { id } = await lab.start(planId);
  counted = countStatements();
  await work(settings);
  await eventually('the run ends', async () => {
    const [run] = await lab.runward.database.query<{ status: string }>('select status from executions where id = $1', [
      id,
    ]);
    return run?.status === 'SUCCEEDED';
  });
  await endWorkers();
  counted.stop();
  const { all } = counted;
  return all.slice(all.findIndex(({ text }) => text.includes('epoch = epoch + 1')));
}

/** Minimum of several runs, because a busy machine only adds statements. */
async function leastStatements(planId: string): Promise<number> {
  const counts = [];
  for (let round = 0; round < 2; round += 1) counts.push((await statementsOf(planId)).length);
  return Math.min(...counts);
}

describe('database work of a worker', () => {
  it('does not grow for a run of one step on one host', async () => {
    expect(await leastStatements(await lab.plan([{ command: 'true', targets: 'name=web-1' }]))).toBeLessThanOrEqual(
      91 * ALLOWED_FACTOR,
    );
  });

  it('does not grow for a run of 3 steps on 20 hosts, and is far less than a transaction per host', async () => {
    expect(await leastStatements(await lab.plan(['true', 'true', 'true']))).toBeLessThanOrEqual(205 * ALLOWED_FACTOR);
  });

  it('covers only the hosts of each slice if a run has slices', async () => {
    const statements = await statementsOf(await lab.plan(['true']), { sliceHosts: 5 });
    const frozen = statements.filter(
      ({ text }) => text.includes('ssh_key_id') && text.includes('from execution_hosts'),
    );
    expect(frozen.map(({ rows }) => rows).sort((a, b) => b - a)).toEqual([HOSTS, 5, 5, 5, 5]);
  });
});
