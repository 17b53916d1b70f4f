import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

interface Server {
  id: string;
  state: string;
  checkedAt: string | null;
  version: number;
  lastCheck: { source: string; message: string } | null;
}

let lab: RunLab;
const { work, endWorkers } = labWorkers(() => lab.runward);

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3, settings: {} });
});
afterEach(async () => {
  await every(null);
  await endWorkers();
});
afterAll(() => lab.close());

const every = async (seconds: number | null, environmentId = lab.environmentId) => {
  const answer = await lab.api.patch(`/api/environments/${environmentId}`, { checkIntervalSeconds: seconds });
  expect(answer.status).toBe(200);
};
const serverOf = async ({ id }: { id: string }) => (await lab.api.get<Server>(`/api/inventory/servers/${id}`)).body;
const all = () => Promise.all(lab.servers.map(serverOf));
const auditCount = async () =>
  (await lab.runward.database.query<{ count: number }>('select count(*)::int as count from audit_entries'))[0]?.count;

describe('checks by themselves', () => {
  it('find the state of each enabled server, as an observation', async () => {
    await work();
    const before = await all();
    const audited = await auditCount();
    const off = await lab.server({ name: 'off', hostname: lab.hosts.sshd.addresses[0], port: 1, enabled: false });
    await every(60);
    const known = await eventually('all are checked', async () => {
      const servers = await all();
      return servers.every(({ lastCheck }) => lastCheck?.source === 'schedule') && servers;
    });
    expect(known).toEqual(
      before.map(({ version }) => expect.objectContaining({ state: 'reachable', version }) as unknown as Server),
    );
    expect(await serverOf(off)).toMatchObject({ state: 'unchecked', lastCheck: null });
    // Registering the server, and the change of the environment.
    expect(await auditCount()).toBe((audited ?? 0) + 2);
  });
});
