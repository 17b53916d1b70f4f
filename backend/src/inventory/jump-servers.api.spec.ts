import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { type SshHosts, startSshHosts } from '../../test/support/ssh-hosts.js';
import type { ServerView } from './servers.view.js';

type Answered = ServerView & { code?: string; detail?: string; referrers?: object[]; errors?: { path: string }[] };

const PATH = '/api/inventory/servers';
let runward: Installation;
let admin: TestMember;
let inner: SshHosts;
let outer: SshHosts;
let environmentId: string;
let keys: { inner: string; outer: string };
let numbered = 0;

beforeAll(async () => {
  [runward, inner] = await Promise.all([startInstallation(), startSshHosts({ addresses: ['127.0.5.2'] })]);
  outer = await startSshHosts({ addresses: ['127.0.5.1'], extraConfig: `PermitOpen 127.0.5.2:${inner.sshd.port}` });
  admin = await runward.tenant('acme');
  environmentId = (await admin.api.post<{ id: string }>('/api/environments', { name: 'live' })).body.id;
  const keyOf = async (name: string, { key }: SshHosts) =>
    (await admin.api.post<{ id: string }>('/api/ssh-keys', { name, privateKey: key.privateKey })).body.id;
  keys = { inner: await keyOf('inner', inner), outer: await keyOf('outer', outer) };
});
afterAll(async () => {
  await runward.close();
  await Promise.all([inner.stop(), outer.stop()]);
});

const create = (fields: object) => {
  numbered += 1;
  const own = { name: `host-${numbered}`, hostname: `host-${numbered}.invalid`, username: 'a', sshKeyId: keys.inner };
  return admin.api.post<Answered>(PATH, { environmentId, ...own, ...fields });
};
async function register(fields: object = {}): Promise<ServerView> {
  const { status, body, text } = await create(fields);
  if (status !== 201) throw new Error(text);
  return body;
}
const change = (id: string, fields: object) => admin.api.patch<Answered>(`${PATH}/${id}`, fields);
const check = async (id: string) => (await admin.api.post<ServerView>(`${PATH}/${id}/check`)).body;
const real = ({ sshd }: SshHosts, sshKeyId: string, pinned = true) => ({
  hostname: sshd.addresses[0],
  port: sshd.port,
  username: sshd.user,
  sshKeyId,
  ...(pinned ? { hostKey: { publicKey: `${sshd.hostKey.type} ${sshd.hostKey.publicKey}` } } : {}),
});

describe('the path through jump servers', () => {
  it('has at most three jump servers, including servers behind the changed one', async () => {
    const chain: ServerView[] = [];
    for (let index = 0; index < 4; index += 1)
      chain.push(await register({ name: `chain-${index}`, jumpServerId: chain.at(-1)?.id }));
    const last = await create({ jumpServerId: chain.at(-1)?.id });
    expect([last.status, last.body.code]).toEqual([409, 'jump_path']);
    expect(last.body.detail).toContain('chain-3 → chain-2 → chain-1 → chain-0');
    const { id } = await register();
    const before = await change(chain[0]?.id ?? '', { jumpServerId: id });
    expect([before.status, before.body.code]).toEqual([409, 'jump_path']);
  });

  it('is never a cycle; the refusal shows the path', async () => {
    const one = await register({ name: 'one' });
    const two = await register({ name: 'two', jumpServerId: one.id });
    const three = await register({ name: 'three', jumpServerId: two.id });
    const circle = await change(one.id, { jumpServerId: three.id });
    expect([circle.status, circle.body.code]).toEqual([409, 'jump_path']);
    expect(circle.body.detail).toContain('one → three → two → one');
    const itself = await change(one.id, { jumpServerId: one.id });
    expect(itself.body.detail).toContain('one → one');
  });

  it("is never a cycle when two servers concurrently become each other's jump server", async () => {
    for (let time = 0; time < 10; time += 1) {
      const [one, two] = [await register(), await register()];
      const answers = await Promise.all([
        change(one.id, { jumpServerId: two.id }),
        change(two.id, { jumpServerId: one.id }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  it('requires that the caller can see the jump server and run on it', async () => {
    const operator = await runward.member(admin, 'operator');
    const hidden = await admin.api.post<{ id: string }>('/api/environments', { name: 'hidden', access: 'restricted' });
    const jump = await register({ name: 'bastion', environmentId: hidden.body.id });
    const { id } = await register({ name: 'target' });
    const asked = () => operator.api.patch<Answered>(`${PATH}/${id}`, { jumpServerId: jump.id });
    expect([(await asked()).status, (await asked()).body.errors?.[0]?.path]).toEqual([404, '/jumpServerId']);
    await admin.api.put(`/api/environments/${hidden.body.id}/grants/${operator.userId}`, { level: 'view' });
    expect((await asked()).body.code).toBe('grant_required');
    await admin.api.put(`/api/environments/${hidden.body.id}/grants/${operator.userId}`, { level: 'run' });
    expect((await asked()).body.jumpServerId).toBe(jump.id);
    await admin.api.delete(`/api/environments/${hidden.body.id}/grants/${operator.userId}`);
    const mine = await operator.api.post<Answered>(PATH, {
      environmentId,
      name: 'mine',
      hostname: 'mine.invalid',
      username: 'a',
      sshKeyId: keys.inner,
      jumpServerId: id,
    });
    const circle = await admin.api.patch<Answered>(`${PATH}/${jump.id}`, { jumpServerId: mine.body.id });
    expect(circle.body.detail).toContain('bastion → mine → target → bastion');
    const { lastCheck } = await check(id);
    expect(lastCheck?.reason.text).toContain('The jump server in another environment is not reached');
    expect(lastCheck?.reason.text).not.toContain('bastion');
  });

  it('prevents the deletion of a jump server that is in use', async () => {
    const jump = await register();
    const { id, name } = await register({ jumpServerId: jump.id });
    const refused = await admin.api.delete<Answered>(`${PATH}/${jump.id}`);
    expect([refused.status, refused.body.code, refused.body.referrers]).toEqual([
      409,
      'in_use',
      [{ type: 'server', id, name }],
    ]);
    expect((await change(id, { jumpServerId: null })).status).toBe(200);
    expect((await admin.api.delete(`${PATH}/${jump.id}`)).status).toBe(204);
  });

  it('is part of the pinned address: another jump server removes the pin', async () => {
    const jump = await register();
    const { id } = await register(real(inner, keys.inner));
    expect((await change(id, { jumpServerId: jump.id })).body).toMatchObject({ hostKey: null, state: 'unchecked' });
    expect((await change(id, { jumpServerId: jump.id })).body).toMatchObject({ jumpServerId: jump.id });
    await admin.api.delete(`${PATH}/${id}`);
  });
});

describe('the check of a server behind a jump server', () => {
  it('connects through the jump server to read the host key and then to sign in; each host is verified by its own pin', async () => {
    const jump = await register(real(outer, keys.outer, false));
    const target = await register({ ...real(inner, keys.inner, false), jumpServerId: jump.id });
    const early = await check(target.id);
    expect(early).toMatchObject({ state: 'unreachable', seenHostKey: null });
    expect(early.lastCheck?.reason.text).toContain(
      `The jump server "${jump.name}" is not reached: its host key is not pinned`,
    );
    for (const { id } of [jump, target]) {
      const { seenHostKey } = await check(id);
      await admin.api.put(`${PATH}/${id}/host-key`, { fingerprint: seenHostKey?.fingerprint });
    }
    expect(await check(target.id)).toMatchObject({ state: 'reachable', lastReachedAddress: '127.0.5.2' });
    await change(jump.id, { sshKeyId: keys.inner });
    const refused = await check(target.id);
    expect(refused.state).toBe('unreachable');
    expect(refused.lastCheck?.reason.text).toMatch(/^The jump server ".*" is not reached: .* refused the login/);
    await change(jump.id, { sshKeyId: keys.outer });
    const closed = await register({ hostname: '127.0.5.2', port: 1, jumpServerId: jump.id });
    expect((await check(closed.id)).lastCheck?.reason.text).toContain('AllowTcpForwarding and PermitOpen');
  });
});
