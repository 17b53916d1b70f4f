import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { abandonedRun } from '../../../test/support/abandoned-run.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

let lab: RunLab;
beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
});
afterAll(() => lab.close());

describe('a host that prints more lines than can be counted', () => {
  it('loses no results, neither its own nor those of other hosts', async () => {
    const [first, second] = lab.servers.map(({ id }) => id) as [string, string];
    const id = await abandonedRun(lab, await lab.plan(['seq 1 100']), { [first]: 'PENDING', [second]: 'PENDING' });
    const { database } = lab.runward;
    await database.query(
      `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
        values ($1, $2, 1, 0, $3, 1, 2147483647, 1, false, false, now(), 'x')`,
      [lab.admin.tenantId, id, first],
    );
    await database.query('update executions set chunk_seq = 1 where id = $1', [id]);
    await database.query('update host_results set attempts = 1 where execution_id = $1 and server_id = $2', [
      id,
      first,
    ]);
    await lab.runward.worker();
    expect(await lab.settled(id)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await lab.results(id)).map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
    expect(await lab.text(id, first)).toBe(`x${Array.from({ length: 100 }, (_, index) => `${index + 1}\n`).join('')}`);
  });
});
