import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import type { ServerView } from '../servers.view.js';
import { AddressReport } from './address-report.js';

interface Fault {
  code: string;
  detail: string;
  errors?: { path: string; message: string }[];
}

const SERVERS = '/api/inventory/servers';

let runward: Installation;
let admin: TestMember;
let scene: EnvironmentScene;
let elsewhere: EnvironmentScene;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  scene = await makeScene(admin.api, { name: 'live', hostname: 'db.internal', port: 22 });
  elsewhere = await makeScene(admin.api, { name: 'else', hostname: 'web.internal', port: 22 });
  // Row-level security requires the tenant: the owner of an external database is not a superuser.
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
});
afterAll(() => runward.close());

const register = (hostname: string, more: object = {}) => {
  numbered += 1;
  return admin.api.post<ServerView & Fault>(SERVERS, {
    name: `server-${numbered}`,
    hostname,
    username: 'deploy',
    sshKeyId: scene.keyId,
    environmentId: scene.environmentId,
    ...more,
  });
};

/**
 * Creates two servers for one machine, as an earlier version allowed. The second is marked as a known duplicate.
 * @returns ID of the second server
 */
async function oldDouble(hostname: string, twin: string): Promise<string> {
  const { body } = await register(hostname);
  const other = await register(`${numbered}.example`);
  await runward.database.query('update servers set hostname = $2, known_double = true where id = $1', [
    other.body.id,
    twin,
  ]);
  expect(body.id).toBeDefined();
  return other.body.id;
}

describe('a machine', () => {
  it.each([
    ['with the same text', 'db.internal', {}],
    ['in upper case, with a trailing dot', 'DB.Internal.', {}],
    ['with an explicit port', 'db.internal', { port: 22 }],
  ])('is registered once per login and environment: refuses it %s', async (_how, hostname, more) => {
    const { status, body } = await register(hostname, more);
    expect([status, body.code]).toEqual([409, 'duplicate_address']);
    expect(body.detail).toContain('"live-1" already has this address, port and login');
  });

  it('can be registered with another port or login, and in another environment', async () => {
    for (const more of [{ port: 23 }, { username: 'root' }, { environmentId: elsewhere.environmentId }])
      expect([more, (await register('db.internal', more)).status]).toEqual([more, 201]);
  });

  it('cannot be duplicated by changing or moving another server', async () => {
    const { body: other } = await register('10.0.0.6');
    const patch = (body: object) => admin.api.patch<Fault>(`${SERVERS}/${other.id}`, body);
    await register('10.0.0.5');
    for (const hostname of ['10.0.0.5', '::ffff:10.0.0.5', '0:0:0:0:0:FFFF:a00:5']) {
      const { status, body } = await patch({ hostname });
      expect([hostname, status, body.code]).toEqual([hostname, 409, 'duplicate_address']);
    }
    const away = await register('10.0.0.5', { environmentId: elsewhere.environmentId });
    const moved = await admin.api.patch<Fault>(`${SERVERS}/${away.body.id}`, { environmentId: scene.environmentId });
    expect([moved.status, moved.body.code]).toEqual([409, 'duplicate_address']);
    expect((await patch({ hostname: '10.0.0.6', tags: { a: 'b' } })).status).toBe(200);
    expect((await patch({ hostname: '::ffff:10.0.0.6' })).status).toBe(200);
  });

  it('is stored once by fifty concurrent registrations with different spellings', async () => {
    const texts = ['10.9.9.9', '::ffff:10.9.9.9', '::FFFF:a09:909', '0:0:0:0:0:ffff:10.9.9.9'];
    const racing = Array.from({ length: 50 }, (_, n) => register(texts[n % texts.length] ?? ''));
    const answers = (await Promise.all(racing)).map(({ status, body }) => `${status} ${body.code ?? ''}`);
    expect(answers.filter((each) => each === '201 ')).toHaveLength(1);
    expect(answers.filter((each) => each === '409 duplicate_address')).toHaveLength(49);
  });
});

describe('a machine that an earlier version registered twice', () => {
  let twin: string;
  beforeAll(async () => {
    twin = await oldDouble('10.7.7.7', '::ffff:10.7.7.7');
  });

  it('is logged at start with an instruction', async () => {
    const lines = await runward.app.get(AddressReport).listReportLines();
    expect(lines).toEqual([
      expect.stringMatching(
        /^Tenant "acme", environment "live": "server-\d+" and "server-\d+" are one machine with one login\. .* Delete or disable all but one\.$/,
      ),
    ]);
  });

  it('starts no run that would use it twice', async () => {
    for (const more of [{}, { execution_mode: 'dry_run' }]) {
      const started = await admin.api.post<Fault>('/api/executions', {
        planId: scene.planId,
        execution_mode: 'auto',
        ...more,
      });
      expect([started.status, started.body.code]).toEqual([409, 'duplicate_address']);
      expect(started.body.detail).toMatch(/"server-\d+" is the same machine as "server-\d+"/);
    }
  });

  it('is not registered a third time, and can be changed to another machine', async () => {
    expect((await register('10.7.7.7')).body.code).toBe('duplicate_address');
    const changed = await admin.api.patch(`${SERVERS}/${twin}`, { hostname: '10.7.7.8' });
    expect(changed.status).toBe(200);
    expect(await runward.app.get(AddressReport).listReportLines()).toEqual([]);
    const back = await admin.api.patch<Fault>(`${SERVERS}/${twin}`, { hostname: '10.7.7.7' });
    expect(back.body.code).toBe('duplicate_address');
  });
});

describe('an invalid address', () => {
  it.each(['0.0.0.0', '::', '[::1]', '::1%lo', 'web:22', '127.1', 'fe80::1%2'])(
    'is rejected in registrations and changes: %s',
    async (hostname) => {
      const { status, body } = await register(hostname);
      expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['/hostname']]);
      const changed = await admin.api.patch<Fault>(`${SERVERS}/${scene.serverId}`, { hostname });
      expect(changed.status).toBe(400);
    },
  );

  it('of an earlier version is logged, and its server accepts other changes', async () => {
    const { body } = await register('odd.example');
    await runward.database.query(`update servers set hostname = '::1%1' where id = $1`, [body.id]);
    expect(await runward.app.get(AddressReport).listReportLines()).toEqual([
      expect.stringMatching(/^Tenant "acme", server "server-\d+": hostname can have a zone .* change it\.$/),
    ]);
    expect((await admin.api.patch(`${SERVERS}/${body.id}`, { tags: { a: 'b' } })).status).toBe(200);
    const checked = await admin.api.post<ServerView>(`${SERVERS}/${body.id}/check`);
    expect(checked.body.lastCheck?.reason.text).toContain('Runward does not connect to [::1%1]:22');
  });
});
