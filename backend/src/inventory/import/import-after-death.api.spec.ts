import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene } from '../../../test/support/environment-scene.js';
import { eventually } from '../../../test/support/eventually.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { startWorkerProcess } from '../../../test/support/worker-process.js';
import type { ImportView } from './orders/import.view.js';

const SERVERS = 3000;

let runward: Installation;
let admin: TestMember;
let scene: EnvironmentScene;
beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  scene = await makeScene(admin.api, { name: 'live', hostname: 'first.internal', port: 22 });
});
afterAll(() => runward.close());

const get = async (id: string, wait = 0) =>
  (await admin.api.get<ImportView>(`/api/inventory/imports/${id}?wait=${wait}`)).body;
const counted = async (what: string) => {
  const [row] = await runward.database.query<{ count: number }>(`select count(*)::int as count from ${what}`);
  return row?.count;
};

describe('an import whose worker is killed', () => {
  it('has stored nothing, and the next worker does it once and completely', async () => {
    const first = await startWorkerProcess(runward);
    const list = Array.from({ length: SERVERS }, (_, n) => ({
      name: `host-${n}`,
      externalId: `id-${n}`,
      hostname: `10.0.${n >> 8}.${n & 255}`,
      tags: { rack: `r${n % 40}` },
    }));
    const asked = await admin.api.post<ImportView>('/api/inventory/servers/import', {
      format: 'json',
      content: JSON.stringify(list),
      environmentId: scene.environmentId,
      sshKeyId: scene.keyId,
      username: 'deploy',
      source: 'cmdb',
    });
    expect(asked.status).toBe(201);
    const { id } = asked.body;
    const middle = await eventually('some servers are stored', async () => {
      const { status, processed } = await get(id);
      return processed > 0 && { status };
    });
    await first.end('SIGKILL');
    expect(middle.status).toBe('running');
    const { body: entries } = await admin.api.get(`/api/inventory/imports/${id}/entries`);
    expect(entries).toEqual({ items: [], nextCursor: null });
    expect(await counted(`servers where external_source = 'cmdb'`)).toBe(0);
    const second = await startWorkerProcess(runward);
    try {
      expect(await get(id, 55)).toMatchObject({ status: 'succeeded', processed: SERVERS, counts: { create: SERVERS } });
    } finally {
      await second.end('SIGTERM');
    }
    expect(await counted(`servers where external_source = 'cmdb'`)).toBe(SERVERS);
    const created = `audit_entries where action = 'server.create' and resource_name like 'host-%'`;
    expect(await counted(created)).toBe(SERVERS);
    expect(await counted(`inventory_import_entries where import_id = '${id}' and server_id is not null`)).toBe(SERVERS);
    const { body } = await admin.api.get<{ intact: boolean }>('/api/audit-logs/verify');
    expect(body.intact).toBe(true);
  });
});
