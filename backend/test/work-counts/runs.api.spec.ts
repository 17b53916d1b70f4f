import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CountedStatement, type CountedStatements, countStatements } from '../support/counted-statements.js';
import { eventually } from '../support/eventually.js';
import { labWorkers } from '../support/lab-workers.js';
import { type RunLab, startRunLab } from '../support/run-lab.js';

const HOSTS = 20;
/** What more is taken for a regression: how hosts meet in one transaction is never quite the same. */
const MARGIN = 1.15;

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

/** The statements with which a worker brings a run to its end that waits for it, from the moment when it takes it. */
async function statementsOf(planId: string, settings = {}): Promise<readonly CountedStatement[]> {
  const { id } = await lab.start(planId);
  counted = countStatements();
  await work(settings);
  await eventually('the run is over', async () => {
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

/** The lowest of some runs: a busy machine only makes it more. */
async function fewest(planId: string): Promise<number> {
  const counts = [];
  for (let round = 0; round < 2; round += 1) counts.push((await statementsOf(planId)).length);
  return Math.min(...counts);
}

describe('what a worker asks of the database', () => {
  it('for a run of one step on one host is no more than it was', async () => {
    expect(await fewest(await lab.plan([{ command: 'true', targets: 'name=web-1' }]))).toBeLessThanOrEqual(91 * MARGIN);
  });

  it('for a run of 3 steps on 20 hosts is no more than it was, and far less than a transaction a host', async () => {
    expect(await fewest(await lab.plan(['true', 'true', 'true']))).toBeLessThanOrEqual(205 * MARGIN);
  });

  it('for the slices of a run is about the hosts of each slice only', async () => {
    const statements = await statementsOf(await lab.plan(['true']), { sliceHosts: 5 });
    const frozen = statements.filter(
      ({ text }) => text.includes('ssh_key_id') && text.includes('from execution_hosts'),
    );
    expect(frozen.map(({ rows }) => rows).sort((a, b) => b - a)).toEqual([HOSTS, 5, 5, 5, 5]);
  });
});
