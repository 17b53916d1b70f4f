import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { ServerView } from '../servers.view.js';
import type { CreatedEnrolmentView, EnrolmentView } from './enrolments.view.js';

const PATH = '/api/inventory/enrolments';
const UNUSED_ADDRESS = '127.0.7.1';

let runward: Installation;
let admin: TestMember;
let maker: TestMember;
let environmentId: string;
let sshKeyId: string;
let hostKey: string;

const made = async (where: string, body: object) => {
  const answer = await admin.api.post<{ id: string }>(where, body);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.body.id;
};

beforeAll(async () => {
  runward = await startInstallation();
  hostKey = (await generateKeyPair({ type: 'ed25519' })).publicKey;
});
beforeEach(async () => {
  admin = await runward.tenant();
  maker = await runward.member(admin, 'operator');
  environmentId = await made('/api/environments', { name: 'live' });
  sshKeyId = await made('/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
});
afterAll(() => runward.close());

const order = (fields: object = {}) => ({ environmentId, sshKeyId, username: 'deploy', name: 'web-1', ...fields });
async function enrolment(fields: object = {}): Promise<Required<CreatedEnrolmentView> & { host: ApiClient }> {
  const answer = await maker.api.post<Required<CreatedEnrolmentView>>(PATH, order(fields));
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return { ...answer.body, host: apiClient(runward.url, { token: answer.body.token }) };
}
const report = (fields: object = {}) => ({
  ...{ hostName: 'host', addresses: ['10.9.9.9'], address: UNUSED_ADDRESS, hostKeys: [hostKey] },
  ...fields,
});
const enrol = async (host: ApiClient, fields: object = {}) => {
  const answer = await host.post<string>('/api/enrol', report(fields));
  expect(answer).toMatchObject({ status: 200 });
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  return answer.body;
};
const verify = async (host: ApiClient) => (await host.post<string>('/api/enrol/verify')).body;
const get = async (id: string) => (await admin.api.get<EnrolmentView>(`${PATH}/${id}`)).body;
const servers = async () => (await admin.api.get<{ items: ServerView[] }>('/api/inventory/servers')).body.items;
const audited = async (resourceId: string) => {
  const { body } = await admin.api.get<{ items: { action: string; actor: { kind: string }; after: object }[] }>(
    `/api/audit-logs?resourceId=${resourceId}`,
  );
  return body.items.map(({ action }) => action).reverse();
};

describe('an enrolment', () => {
  it('shows token and command once and stores neither', async () => {
    const { token, command, host: _, ...shown } = await enrolment({ tags: { role: 'web' }, port: 2222 });
    expect(token).toMatch(/^runward-enrol_[0-9A-Za-z]{12}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(command).toContain(`RUNWARD_ENROLMENT='${token}' RUNWARD_USER='deploy'`);
    expect(command).toContain(`'${runward.runtime.settings.publicUrl}/api/enrol'`);
    expect(command.split('\n')).toHaveLength(1);
    expect(shown).toMatchObject({ state: 'open', port: 2222, server: null, login: null, name: 'web-1', refusals: 0 });
    expect(Date.parse(shown.expiresAt) - Date.parse(shown.createdAt)).toBe(3_600_000);
    expect(await get(shown.id)).toEqual(shown);
    expect((await admin.api.get(`${PATH}?state=open`)).text).not.toContain(token);
    expect((await admin.api.get('/api/audit-logs?limit=200')).text).not.toContain(token.slice(-50));
    const secret = token.split('_')[2] ?? '';
    const rows = await runward.database.query(`select e::text as row from enrolments e`);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  it('is listed by environment and state', async () => {
    const [open, used] = [await enrolment(), await enrolment({ name: 'web-2' })];
    await enrol(used.host);
    const revoked = await enrolment();
    expect((await maker.api.delete(`${PATH}/${revoked.id}`)).status).toBe(204);
    const other = await made('/api/environments', { name: 'other' });
    const ids = async (query: string) =>
      (await maker.api.get<{ items: EnrolmentView[] }>(`${PATH}?${query}`)).body.items.map(({ id }) => id);
    expect(await ids(`environmentId=${environmentId}`)).toEqual([revoked.id, used.id, open.id]);
    expect(await ids('state=open&state=used')).toEqual([used.id, open.id]);
    expect(await ids('state=revoked')).toEqual([revoked.id]);
    expect(await ids('state=expired')).toEqual([]);
    expect(await ids(`environmentId=${other}`)).toEqual([]);
  });

  it.each([
    [{ expiresInSeconds: 7 * 86_400 + 1 }, '/expiresInSeconds'],
    [{ expiresInSeconds: 59 }, '/expiresInSeconds'],
    [{ port: 0 }, '/port'],
    [{ username: '-x' }, '/username'],
    [{ username: 'a;b' }, '/username'],
    [{ tags: { name: 'x' } }, '/tags'],
    [{ name: '' }, '/name'],
  ])('refuses %j', async (fields, path) => {
    const answer = await maker.api.post(PATH, order(fields));
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });

  it('can be created and revoked only by members who may register servers there', async () => {
    await admin.api.patch(`/api/environments/${environmentId}`, { access: 'restricted' });
    await admin.api.put(`/api/environments/${environmentId}/grants/${maker.userId}`, { level: 'view' });
    const refused = await maker.api.post(PATH, order());
    expect(refused).toMatchObject({ status: 403, body: { code: 'grant_required' } });
    const id = await made(PATH, order());
    expect(await maker.api.delete(`${PATH}/${id}`)).toMatchObject({ status: 403, body: { code: 'grant_required' } });
    expect((await get(id)).state).toBe('open');
  });
});

describe('a host that sends an enrolment token', () => {
  it('is registered on behalf of the creator and receives only the public key', async () => {
    const one = await enrolment({ tags: { role: 'web' }, port: 2222 });
    const text = await enrol(one.host);
    expect(text).toMatch(
      /^outcome registered\nsay Registered as "web-1": deploy at 127\.0\.7\.1, port 2222\. .*\nkey ssh-ed25519 \S+ runward\n$/,
    );
    const [server] = await servers();
    expect(server).toMatchObject({
      name: 'web-1',
      hostname: UNUSED_ADDRESS,
      state: 'unchecked',
      tags: { role: 'web' },
    });
    expect(await audited(server?.id ?? '')).toEqual(['server.create']);
    expect(await audited(one.id)).toEqual(['enrolment.create', 'enrolment.use']);
    const { body } = await admin.api.get(`/api/audit-logs?resourceId=${server?.id}`);
    expect(body).toMatchObject({ items: [{ actor: { id: maker.userId } }] });
    expect(await get(one.id)).toMatchObject({ state: 'used', server: { id: server?.id, name: 'web-1' }, login: null });
  });

  it('gets the same answer for a repeated request, without a second registration', async () => {
    const one = await enrolment();
    const first = await enrol(one.host);
    expect(await enrol(one.host, { hostName: 'other', address: '127.0.7.2' })).toBe(first);
    expect(await servers()).toHaveLength(1);
    expect(await audited(one.id)).toEqual(['enrolment.create', 'enrolment.use']);
  });

  it('is refused when another host used the token; the refusal is audited', async () => {
    const one = await enrolment();
    await enrol(one.host);
    const { publicKey } = await generateKeyPair({ type: 'ed25519' });
    const text = await enrol(one.host, { hostKeys: [publicKey], address: '127.0.7.2' });
    expect(text).toMatch(/^outcome refused\nsay Another host has already used this enrolment\./);
    expect(text).not.toContain('key ');
    expect(await servers()).toHaveLength(1);
    expect(await audited(one.id)).toEqual(['enrolment.create', 'enrolment.use', 'enrolment.refuse']);
    expect(await get(one.id)).toMatchObject({
      refusals: 1,
      lastRefusal: { reason: { text: expect.stringContaining('Another host') } },
    });
  });

  it('cannot fill the audit trail with refusals', async () => {
    const one = await enrolment();
    for (let time = 0; time < 25; time += 1) await enrol(one.host, { hostKeys: ['junk'] });
    expect((await audited(one.id)).filter((action) => action === 'enrolment.refuse')).toHaveLength(20);
    expect((await get(one.id)).refusals).toBe(25);
  });

  it('is registered once when two hosts use one token at the same moment; the other host is refused', async () => {
    for (let round = 0; round < 5; round += 1) {
      const one = await enrolment({ name: `round-${round}` });
      const keys = [await generateKeyPair({ type: 'ed25519' }), await generateKeyPair({ type: 'ed25519' })];
      const answers = await Promise.all(
        keys.map(({ publicKey }, index) =>
          enrol(one.host, { hostKeys: [publicKey], address: `127.0.8.${2 * round + index}` }),
        ),
      );
      expect(answers.map((text) => text.split('\n')[0]).sort()).toEqual(['outcome refused', 'outcome registered']);
      expect(await servers()).toHaveLength(round + 1);
    }
  });

  it('is registered once when it sends several requests at once', async () => {
    const one = await enrolment();
    const answers = await Promise.all([1, 2, 3, 4].map(() => enrol(one.host)));
    expect(new Set(answers).size).toBe(1);
    expect(await servers()).toHaveLength(1);
  });

  const cases: [string, (one: Required<CreatedEnrolmentView>) => Promise<unknown>, string][] = [
    ['was revoked', (one) => admin.api.delete(`${PATH}/${one.id}`), 'was revoked'],
    [
      'has expired by the database clock',
      (one) => runward.database.query('update enrolments set expires_at = now() where id = $1', [one.id]),
      'has expired',
    ],
    [
      'has a deleted SSH key',
      () => admin.api.delete(`/api/ssh-keys/${sshKeyId}`),
      'SSH key of this enrolment was deleted',
    ],
    [
      'has a key that was rotated',
      async () => {
        const fields = { name: 'old one', hostname: 'old.invalid', username: 'a', sshKeyId, environmentId };
        const id = await made('/api/inventory/servers', fields);
        await admin.api.post(`/api/ssh-keys/${sshKeyId}/rotate`, { generate: { type: 'ed25519' } });
        return admin.api.delete(`/api/inventory/servers/${id}`);
      },
      'has been replaced',
    ],
    [
      'has a deleted environment',
      () => admin.api.delete(`/api/environments/${environmentId}`),
      'environment of this enrolment was deleted',
    ],
    [
      'was created by a member whose role changed',
      () => admin.api.patch(`/api/members/${maker.userId}`, { role: 'viewer' }),
      'can no longer register servers there',
    ],
    [
      'was created by a member who is disabled',
      () => admin.api.patch(`/api/members/${maker.userId}`, { disabled: true }),
      'can no longer register servers there',
    ],
    [
      'was created by a member who was removed',
      () => admin.api.delete(`/api/members/${maker.userId}`),
      'can no longer register servers there',
    ],
    [
      'was created by a member who cannot see the environment any more',
      () => admin.api.patch(`/api/environments/${environmentId}`, { access: 'restricted' }),
      'can no longer register servers there',
    ],
  ];
  it.each(cases)('is refused with a reason when the enrolment %s', async (_, change, words) => {
    const one = await enrolment();
    const changed = (await change(one)) as { status?: number };
    expect(changed).not.toMatchObject({ status: 409 });
    const text = await enrol(one.host);
    expect(text).toMatch(/^outcome refused\nsay [^\n]*\n$/);
    expect(text).toContain(words);
    expect(text).not.toContain('live');
    expect(await servers()).toEqual([]);
    expect(await verify(one.host)).toMatch(/^outcome refused\n/);
    expect(await get(one.id)).toMatchObject({ createdBy: { id: maker.userId }, refusals: 2 });
  });

  it('is refused after its registration once the enrolment is revoked', async () => {
    const one = await enrolment();
    await enrol(one.host);
    await maker.api.delete(`${PATH}/${one.id}`);
    expect(await enrol(one.host)).toContain('was revoked');
    expect(await verify(one.host)).toContain('was revoked');
    expect(await get(one.id)).toMatchObject({ state: 'used', revokedAt: expect.any(String) });
    expect(await servers()).toHaveLength(1);
  });

  it('is refused when its server or its jump server was deleted', async () => {
    const one = await enrolment();
    await enrol(one.host);
    const [server] = await servers();
    await admin.api.delete(`/api/inventory/servers/${server?.id}`);
    expect(await enrol(one.host)).toContain('The server of this enrolment was deleted');
    expect(await verify(one.host)).toMatch(/^outcome refused\n/);
    expect(await get(one.id)).toMatchObject({ state: 'used', server: null });
    const fields = { name: 'jump', hostname: 'jump.invalid', username: 'a', sshKeyId, environmentId };
    const jumpServerId = await made('/api/inventory/servers', fields);
    const through = await enrolment({ jumpServerId });
    await admin.api.delete(`/api/inventory/servers/${jumpServerId}`);
    expect(await enrol(through.host)).toContain('The jump server of this enrolment was deleted');
    expect(await servers()).toEqual([]);
  });

  it('never changes an existing server: a used address or name is refused with the server name', async () => {
    const fields = { hostname: UNUSED_ADDRESS, username: 'deploy', sshKeyId, environmentId };
    await made('/api/inventory/servers', { ...fields, name: 'old one' });
    const before = await servers();
    const one = await enrolment();
    expect(await enrol(one.host)).toContain('"old one" already has this address, port and login');
    expect(await servers()).toEqual(before);
    expect(await enrol((await enrolment({ name: 'old one' })).host, { address: '127.0.7.9' })).toContain(
      'A server with this name already exists',
    );
    // The refused attempt stored nothing, so the host can still register at another address.
    expect(await enrol(one.host, { address: '127.0.7.3' })).toMatch(/^outcome registered\n/);
  });

  it('is refused when it is a machine of another, protected environment', async () => {
    const guarded = await made('/api/environments', { name: 'guarded', protected: true });
    const fields = { hostname: '127.0.7.8', username: 'deploy', sshKeyId, environmentId: guarded };
    await made('/api/inventory/servers', { ...fields, name: 'safe', hostKey: { publicKey: hostKey } });
    expect(await enrol((await enrolment()).host)).toMatch(/^outcome refused\nsay .*protected/);
    expect((await servers()).map(({ name }) => name)).toEqual(['safe']);
  });

  it('registers in a protected environment when the creator may do so', async () => {
    await admin.api.patch(`/api/environments/${environmentId}`, { protected: true });
    expect(await enrol((await enrolment()).host)).toMatch(/^outcome registered\n/);
  });

  it('is not registered at a metadata address, without a name or without a key', async () => {
    const one = await enrolment({ name: undefined });
    const refusals: [object, string][] = [
      [{ address: '169.254.169.254' }, 'does not allow it'],
      [{ address: undefined, addresses: [] }, 'RUNWARD_ADDRESS'],
      [{ hostName: 'localhost' }, 'no usable host name'],
      [{ hostKeys: ['junk'] }, 'no host key that can be pinned'],
    ];
    for (const [fields, words] of refusals) expect(await enrol(one.host, fields)).toContain(words);
    expect(await servers()).toEqual([]);
    expect(await enrol(one.host, { hostName: 'ip-10-0-0-5', hostKeys: ['junk', hostKey] })).toMatch(
      /^outcome registered\nsay The key of type junk is left out: .*\nsay Registered as "ip-10-0-0-5"/,
    );
  });

  it('is asked to try again while the port is closed; the creator sees the failed login', async () => {
    const one = await enrolment({ port: 1 });
    expect(await verify(one.host)).toContain('No host has registered with this enrolment yet');
    await enrol(one.host);
    expect(await verify(one.host)).toMatch(/^outcome again\nsay /);
    expect(await get(one.id)).toMatchObject({ login: { state: 'unreachable' } });
    const [server] = await servers();
    expect(server).toMatchObject({ state: 'unreachable', lastCheck: { source: 'enrolment' } });
  });

  it('causes at most sixty logins, one at a time', async () => {
    const one = await enrolment({ port: 1 });
    await enrol(one.host);
    const answers = await Promise.all([1, 2, 3].map(() => verify(one.host)));
    for (const text of answers) expect(text).toMatch(/^outcome again\n/);
    await runward.database.query('update enrolments set tries = 60 where id = $1', [one.id]);
    expect(await verify(one.host)).toContain('too many login attempts');
  });
});

describe('enrolment tokens', () => {
  it('authenticate nothing else, and no other token authenticates a host', async () => {
    const one = await enrolment();
    for (const path of ['/api/auth/me', PATH, '/api/inventory/servers'])
      expect((await one.host.get(path)).status).toBe(401);
    const [, id, secret, sum] = one.token.split('_');
    const others = [maker.token, `runward_${id}_${secret}_${sum}`, `${one.token.slice(0, -1)}!`, '', 'x'.repeat(9000)];
    for (const token of others) {
      const host = apiClient(runward.url, { token });
      for (const [path, body] of [
        ['/api/enrol', report()],
        ['/api/enrol/verify', undefined],
      ] as const) {
        const { status, body: answer } = await host.post<{ code: string; detail: string }>(path, body);
        expect([status, answer.code ?? '']).toEqual([token.length > 5000 ? status : 401, answer.code ?? '']);
        expect(answer.detail ?? '').not.toContain(id);
      }
    }
    expect((await runward.anonymous.post(`/api/enrol?token=${one.token}`, report())).status).toBe(400);
    expect(await servers()).toEqual([]);
  });

  it('are rejected with another secret', async () => {
    const [one, other] = [await enrolment(), await enrolment()];
    const { mintEnrolmentToken } = await import('../../common/crypto/api-token.js');
    const minted = mintEnrolmentToken();
    // Well-formed token: the ID belongs to an enrolment, but the secret was never issued.
    await runward.database.query(`update auth_directory set key = $1 where kind = 'enrolment' and record_id = $2`, [
      Buffer.from(minted.id),
      one.id,
    ]);
    const host = apiClient(runward.url, { token: minted.token });
    expect((await host.post('/api/enrol', report())).status).toBe(401);
    expect(await enrol(other.host)).toMatch(/^outcome registered\n/);
  });
});
