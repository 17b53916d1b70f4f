import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';

import type { RequestedChecksView } from './checks.dto.js';

interface Server {
  id: string;
  state: string;
  checkedAt: string | null;
  version: number;
  lastCheck: { source: string; reason: { text: string } } | null;
}

let lab: RunLab;
const { work, endWorkers } = labWorkers(() => lab.runward);

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3, spare: 1 });
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

describe('automatic checks', () => {
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
    // Two entries: registration of the server, and change of the environment.
    expect(await auditCount()).toBe((audited ?? 0) + 2);
  });

  it('continue with changed servers, and skip servers that another worker has claimed', async () => {
    await work();
    const [first] = lab.servers;
    const fresh = await lab.server({ name: 'fresh', hostname: lab.spare[0], hostKey: undefined });
    await every(60);
    await eventually('the new one is checked', async () => (await serverOf(fresh)).state === 'host_key_unknown');
    const known = await serverOf(first ?? { id: '' });
    const { body } = await lab.api.post<Server>(`/api/inventory/servers/${first?.id}/check`);
    expect(body.checkedAt).not.toBe(known.checkedAt);
    const { fingerprint } = (
      await lab.api.get<{ seenHostKey: { fingerprint: string } }>(`/api/inventory/servers/${fresh.id}`)
    ).body.seenHostKey;
    expect((await lab.api.put(`/api/inventory/servers/${fresh.id}/host-key`, { fingerprint })).status).toBe(200);
    await eventually('its login is tried', async () => (await serverOf(fresh)).state === 'reachable');
    expect((await serverOf(first ?? { id: '' })).checkedAt).toBe(body.checkedAt);
  });
});

const ask = (body: object) =>
  lab.api.post<RequestedChecksView & { code?: string }>('/api/inventory/servers/checks', body);

describe('requested checks', () => {
  it('are done by the next worker, whatever the interval, and report when there is none', async () => {
    const before = await serverOf(lab.servers[0] ?? { id: '' });
    await eventually('no worker lives', async () => {
      const { body } = await ask({ environmentId: lab.environmentId, selector: 'name=web-1' });
      return body.workers === 0;
    });
    const audited = await auditCount();
    const { status, body } = await ask({ environmentId: lab.environmentId, selector: 'name=web-*' });
    expect({ status, body }).toMatchObject({ status: 202, body: { requested: 3, disabled: 0, workers: 0 } });
    expect(await auditCount()).toBe((audited ?? 0) + 1);
    await work();
    await eventually('all are checked', async () =>
      (await all()).every(({ checkedAt }) => new Date(checkedAt ?? 0) >= new Date(body.requestedAt)),
    );
    expect((await serverOf(lab.servers[0] ?? { id: '' })).version).toBe(before.version);
    expect(await ask({ ids: lab.servers.map(({ id }) => id) })).toMatchObject({ body: { requested: 3, workers: 1 } });
  });

  it('accept exactly one kind of selection', async () => {
    const { environmentId } = lab;
    const id = lab.servers[0]?.id ?? '';
    for (const body of [{}, { selector: 'a' }, { ids: [] }, { ids: [id], environmentId }, { ids: [id], selector: '' }])
      expect((await ask(body)).status).toBe(400);
    expect(await ask({ environmentId, selector: 'a=(' })).toMatchObject({ status: 400 });
    expect(await ask({ ids: [id, environmentId] })).toMatchObject({ status: 404 });
    expect(await ask({ ids: Array.from({ length: 1001 }, () => id) })).toMatchObject({ status: 400 });
    expect(await ask({ ids: [id, id] })).toMatchObject({ status: 202, body: { requested: 1 } });
  });

  it('skip disabled servers', async () => {
    const off = await lab.server({ name: 'off-too', hostname: 'off.invalid', enabled: false });
    expect(await ask({ ids: [off.id] })).toMatchObject({ body: { requested: 0, disabled: 1 } });
  });
});
