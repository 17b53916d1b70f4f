import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../test/support/run-lab.js';

let lab: RunLab;
let port: number;
const muteHost = net.createServer((socket) => socket.on('error', () => undefined));
beforeAll(async () => {
  lab = await startRunLab();
  await lab.runward.worker();
  await new Promise<void>((resolve) => muteHost.listen(0, '127.0.0.1', resolve));
  ({ port } = muteHost.address() as net.AddressInfo);
});
afterAll(async () => {
  muteHost.close();
  await lab.close();
});

const SERVERS = '/api/inventory/servers';

describe('the login timeout of a server', () => {
  it('is validated, reset by null and audited', async () => {
    const { id } = await lab.server({ hostname: '10.9.0.1', loginTimeoutSeconds: 60 });
    const path = `${SERVERS}/${id}`;
    for (const refused of [4, 121, 7.5, '60', true])
      expect((await lab.api.patch(path, { loginTimeoutSeconds: refused })).body).toMatchObject({
        errors: [{ path: '/loginTimeoutSeconds', message: expect.stringContaining('from 5 to 120') }],
      });
    expect((await lab.api.patch(path, { name: 'slow' })).body).toMatchObject({ loginTimeoutSeconds: 60 });
    expect((await lab.api.patch(path, { loginTimeoutSeconds: null })).body).toMatchObject({
      loginTimeoutSeconds: null,
    });
    const { body } = await lab.api.get<{ items: object[] }>(`/api/audit-logs?resourceId=${id}&limit=1`);
    expect(body.items[0]).toMatchObject({ before: { loginTimeoutSeconds: 60 }, after: { loginTimeoutSeconds: null } });
  });

  it('limits checks, runs and jump servers; their messages contain it', async () => {
    const gate = await lab.server({ hostname: '127.0.0.1', port, name: 'gate', loginTimeoutSeconds: 5 });
    await lab.server({ hostname: '127.0.9.9', port, name: 'far', jumpServerId: gate.id });
    const plan = await lab.plan(['true'], { targets: 'name in (gate, far)' });
    const [checked, run] = await Promise.all([
      lab.api.post<{ lastCheck: { reason: { text: string } } }>(`${SERVERS}/${gate.id}/check`, {}),
      lab.start(plan).then(({ id }) => lab.settled(id)),
    ]);
    expect(checked.body.lastCheck.reason.text).toMatch(/within 5 s\..*loginTimeoutSeconds/);
    const messages = Object.fromEntries(
      (await lab.results(run.id)).map(({ serverName, reason }) => [serverName, reason?.text]),
    );
    expect(messages['gate']).toContain('within 5 s.');
    expect(messages['far']).toMatch(/jump server "gate".*within 5 s\./);
  });

  it('is not part of the digest for approvals and dry runs', async () => {
    const [server] = lab.servers;
    const hop = await lab.server({ hostname: '10.9.0.2', name: 'hop' });
    await lab.server({ hostname: '10.9.0.3', name: 'behind', jumpServerId: hop.id });
    const plan = await lab.plan(['true']);
    const digest = async () => (await lab.start(plan, { execution_mode: 'dry_run' })).digest;
    const before = await digest();
    for (const id of [server?.id, hop.id])
      expect((await lab.api.patch(`${SERVERS}/${id}`, { loginTimeoutSeconds: 40 })).status).toBe(200);
    expect(await digest()).toBe(before);
  });
});
