import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type CountedStatements, countStatements } from '../support/counted-statements.js';
import { eventually } from '../support/eventually.js';
import { labWorkers } from '../support/lab-workers.js';
import { type RunLab, startRunLab } from '../support/run-lab.js';

const HOSTS = 20;
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

/** The statements with which a worker brings a run that waits for it to its end. */
async function statementsOf(planId: string): Promise<readonly string[]> {
  const { id } = await lab.start(planId);
  counted = countStatements();
  await work();
  await eventually('the run is over', async () => {
    const [run] = await lab.runward.database.query<{ status: string }>('select status from executions where id = $1', [
      id,
    ]);
    return run?.status === 'SUCCEEDED';
  });
  await endWorkers();
  counted.stop();
  return counted.texts;
}

describe('what a worker asks of the database', () => {
  it('for a run of one step on one host', async () => {
    const plan = await lab.plan([{ command: 'true', targets: 'name=web-1' }]);
    await statementsOf(plan);
    for (let i = 0; i < 3; i += 1) console.log((await statementsOf(plan)).length);
  });
  it('for 3 steps', async () => {
    const plan = await lab.plan(['true', 'true', 'true']);
    await statementsOf(plan);
    for (let i = 0; i < 3; i += 1) console.log((await statementsOf(plan)).length);
  });
});
