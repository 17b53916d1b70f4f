import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type Installation, startInstallation } from '../../../test/support/installation.js';
import { insertServers } from '../../../test/support/many-servers.js';
import type { ExecutionView } from '../contract/execution.view.js';

/**
 * One host more than a slice has when several workers share a run. The host keys are unknown, so that no host is
 * connected to.
 */
const HOSTS = 101;

let runward: Installation;
let start: () => Promise<string>;
let settled: (id: string) => Promise<ExecutionView>;

beforeAll(async () => {
  runward = await startInstallation();
  const { api, tenantId } = await runward.tenant('acme');
  const post = async (path: string, body: object): Promise<string> =>
    (await api.post<{ id: string }>(path, body)).body.id;
  const keyId = await post('/api/ssh-keys', { name: 'key', generate: { type: 'ed25519' } });
  const environmentId = await post('/api/environments', { name: 'many' });
  await insertServers(runward, tenantId, { environmentId, keyId, name: 'web-', count: HOSTS });
  const planId = await post('/api/plans', { name: 'many', environmentId, steps: [{ key: 'one', command: 'true' }] });
  start = () => post('/api/executions', { planId, execution_mode: 'auto' });
  settled = (id) =>
    eventually('the run ends', async () => {
      const { body } = await api.get<ExecutionView>(`/api/executions/${id}`);
      return body.finished && body;
    });
});
afterAll(() => runward.close());

async function slicesOf(id: string): Promise<number[]> {
  expect((await settled(id)).steps[0]?.counts).toEqual({ HOST_KEY_UNKNOWN: HOSTS });
  const rows = await runward.database.query<{ hosts: number }>(
    'select cardinality(server_ids) as hosts from execution_slices where execution_id = $1 order by id',
    [id],
  );
  return rows.map(({ hosts }) => hosts);
}

it('leaves a step whole to the only worker, and splits it into slices once there is another one', async () => {
  await runward.worker();
  expect(await slicesOf(await start())).toEqual([]);
  const other = await runward.worker();
  expect(await slicesOf(await start())).toEqual([100, 1]);
  await other.stop();
  expect(await slicesOf(await start())).toEqual([]);
});
