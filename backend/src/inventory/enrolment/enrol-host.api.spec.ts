import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type HostKeyFolder,
  hostKeyFolder,
  runCommand,
  toolFolder,
  hostPaths,
} from '../../../test/support/enrolling-host.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { type KeyHosts, startKeyHosts } from '../../../test/support/key-hosts.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { ServerView } from '../servers.view.js';
import type { CreatedEnrolmentView, EnrolmentView } from './enrolments.view.js';

const [FIRST = '', SECOND = '', THIRD = ''] = [1, 2, 3].map((index) => `127.0.6.${index}`);
const JUMP = '127.0.6.9';

let runward: Installation;
let admin: TestMember;
let hosts: KeyHosts;
let jump: SshHosts;
let keys: HostKeyFolder;
let environmentId: string;
let sshKeyId: string;
let publicKey: string;
let numbered = 0;

const made = async (where: string, body: object) => {
  const answer = await admin.api.post<{ id: string; publicKey: string }>(where, body);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.body;
};
const pinOf = ({ hostKey }: SshHosts['sshd']) => `${hostKey.type} ${hostKey.publicKey}`;

beforeAll(async () => {
  [runward, hosts] = await Promise.all([startInstallation(), startKeyHosts([FIRST, SECOND, THIRD])]);
  jump = await startSshHosts({ addresses: [JUMP], extraConfig: `PermitOpen ${FIRST}:${hosts.hosts.sshd.port}` });
  keys = hostKeyFolder();
});
beforeEach(async () => {
  numbered += 1;
  admin = await runward.tenant();
  environmentId = (await made('/api/environments', { name: `environment-${numbered}` })).id;
  ({ id: sshKeyId, publicKey } = await made('/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } }));
  keys.write('ed25519', `${pinOf(hosts.hosts.sshd)} root@host\n`);
  await hosts.writeKeys(FIRST, `${hosts.hosts.key.publicKey}\n`);
});
afterAll(async () => {
  await runward.close();
  await Promise.all([hosts.stop(), jump.stop()]);
  keys.remove();
});

const enrolment = async (fields: object = {}) => {
  const { user, port } = hosts.hosts.sshd;
  const answer = await admin.api.post<Required<CreatedEnrolmentView>>('/api/inventory/enrolments', {
    ...{ environmentId, sshKeyId, username: user, port, name: 'web-1', tags: { role: 'web' } },
    ...fields,
  });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.body;
};
/** Command that a host's shell gets. A test's installation does not know its own port in advance. */
const commandOf = ({ command }: Required<CreatedEnrolmentView>) =>
  command.replaceAll(runward.runtime.settings.publicUrl, runward.url);
const enrol = (of: Required<CreatedEnrolmentView>, address = FIRST, env: Record<string, string> = {}) =>
  runCommand(commandOf(of), { ...hostPaths(hosts, address, keys), ...env });
const get = async (id: string) => (await admin.api.get<EnrolmentView>(`/api/inventory/enrolments/${id}`)).body;
const servers = async () => (await admin.api.get<{ items: ServerView[] }>('/api/inventory/servers')).body.items;
const line = () => `${publicKey.split(' ').slice(0, 2).join(' ')} runward\n`;

describe('the command of an enrolment', () => {
  it("registers the host with its own keys, authorises Runward's key and makes Runward sign in", async () => {
    const one = await enrolment();
    const ended = await enrol(one);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.text).toContain(`Registered as "web-1": ${hosts.hosts.sshd.user} at ${FIRST}`);
    expect(ended.text).toContain('Signed in as');
    expect(ended.text).not.toContain(one.token);
    expect(await hosts.keysOn(FIRST)).toBe(`${hosts.hosts.key.publicKey}\n${line()}`);
    const [server] = await servers();
    expect(server).toMatchObject({
      ...{ name: 'web-1', hostname: FIRST, environmentId, sshKeyId, tags: { role: 'web' }, state: 'reachable' },
      hostKeys: [{ fingerprint: hosts.hosts.sshd.hostKey.fingerprint }],
      lastCheck: { source: 'enrolment' },
    });
    expect(await get(one.id)).toMatchObject({
      state: 'used',
      server: { id: server?.id, name: 'web-1' },
      login: { state: 'reachable' },
      refusals: 0,
    });
    const pins = await admin.api.get(`/api/inventory/servers/${server?.id}/host-keys`);
    expect(pins.body).toMatchObject({ items: [{ pinnedHow: 'enrolled' }] });
  });

  it('can be repeated by the same host without duplicate effects', async () => {
    const one = await enrolment();
    expect((await enrol(one)).code).toBe(0);
    const again = await enrol(one);
    expect(again).toMatchObject({ code: 0, text: expect.stringContaining('already') });
    expect(await hosts.keysOn(FIRST)).toBe(`${hosts.hosts.key.publicKey}\n${line()}`);
    expect(await servers()).toHaveLength(1);
  });

  it('creates folder and file where the user has none, accessible to that user only', async () => {
    const ssh = path.join(hosts.home(FIRST), '.ssh');
    await rm(ssh, { recursive: true });
    try {
      expect(await enrol(await enrolment())).toMatchObject({ code: 0 });
      expect(await hosts.keysOn(FIRST)).toBe(line());
      const owner = (await stat(hosts.home(FIRST))).uid;
      for (const [place, mode] of [
        [ssh, 0o700],
        [path.join(ssh, 'authorized_keys'), 0o600],
      ] as const) {
        const { uid, mode: found } = await stat(place);
        expect([place, uid, found & 0o777]).toEqual([place, owner, mode]);
      }
    } finally {
      await hosts.writeKeys(FIRST, '');
    }
  });

  it('can be run by the user itself too, and by no other', async () => {
    const { user } = hosts.hosts.sshd;
    const asUser = process.getuid?.() === 0 ? ['su', '-s', '/bin/sh', user] : ['sh'];
    const env = hostPaths(hosts, SECOND, keys);
    await hosts.writeKeys(SECOND, '# kept\n');
    const ended = await runCommand(commandOf(await enrolment()), env, asUser);
    expect(ended).toMatchObject({ code: 0, text: expect.stringContaining('Signed in as') });
    expect(await hosts.keysOn(SECOND)).toBe(`# kept\n${line()}`);
    if (user === 'root') return;
    const other = await runCommand(commandOf(await enrolment({ username: 'root', name: 'root' })), env, asUser);
    expect(other).toMatchObject({ code: 1, text: expect.stringContaining('Run this as root or as "root".') });
    expect(await servers()).toHaveLength(1);
  });

  it('reports where sshd reads keys from another path, and leaves the server as refused', async () => {
    const elsewhere = await mkdtemp(path.join(os.tmpdir(), 'runward-elsewhere-'));
    await chmod(elsewhere, 0o777);
    try {
      const one = await enrolment();
      const ended = await enrol(one, FIRST, { RUNWARD_HOME: elsewhere });
      expect(ended).toMatchObject({ code: 1, text: expect.stringContaining('authorized_keys') });
      expect(await servers()).toMatchObject([{ state: 'login_refused', enabled: true }]);
      expect(await enrol(one)).toMatchObject({ code: 0 });
      expect(await servers()).toMatchObject([{ state: 'reachable' }]);
    } finally {
      await rm(elsewhere, { recursive: true, force: true });
    }
  });

  it('works through the jump server', async () => {
    const outer = await made('/api/ssh-keys', { name: 'outer', privateKey: jump.key.privateKey });
    const { id: jumpServerId } = await made('/api/inventory/servers', {
      ...{ name: 'jump', hostname: JUMP, port: jump.sshd.port, username: jump.sshd.user, environmentId },
      ...{ sshKeyId: outer.id, hostKey: { publicKey: pinOf(jump.sshd) } },
    });
    const ended = await enrol(await enrolment({ jumpServerId }));
    expect(ended).toMatchObject({ code: 0, text: expect.stringContaining('Signed in as') });
    const [server] = (await servers()).filter(({ name }) => name === 'web-1');
    expect(server).toMatchObject({ jumpServerId, state: 'reachable' });
    expect((await enrol(await enrolment({ jumpServerId, name: 'other' }), SECOND, { RUNWARD_WAIT: '0' })).code).toBe(1);
  });

  it('fails where the host shows another key than it reported, and names both', async () => {
    const other = await generateKeyPair({ type: 'ed25519' });
    keys.write('ed25519', other.publicKey);
    const one = await enrolment();
    const ended = await enrol(one);
    expect(ended).toMatchObject({ code: 1, text: expect.stringContaining(hosts.hosts.sshd.hostKey.fingerprint) });
    const found = await get(one.id);
    expect(found).toMatchObject({ state: 'used', login: { state: 'host_key_changed' } });
    expect(ended.text).toContain(/SHA256:\S+/.exec(found.login?.reason.text ?? '')?.[0] ?? 'none');
    expect(await servers()).toMatchObject([{ state: 'host_key_changed' }]);
  });

  it.each([
    ['dash', ['dash'], null],
    ['bash', ['bash'], null],
    ['bash as sh', ['bash', '--posix'], null],
    ['busybox and its wget', ['sh'], 'busybox' as const],
    [
      'dash and GNU wget',
      ['sh'],
      [
        ...['sh', 'id', 'su', 'sed', 'grep', 'cat', 'cksum', 'cp', 'rm', 'mv', 'mkdir', 'rmdir', 'wc', 'tail', 'tr'],
        ...['cut', 'date', 'sleep', 'mktemp', 'uname', 'find', 'ls', 'wget', 'flock'],
      ],
    ],
  ])('runs in %s', async (_, shell, tools) => {
    const folder = tools && toolFolder(tools);
    try {
      const command = commandOf(await enrolment()).replace(/sh -c "\$s"$/, `${shell.join(' ')} -c "$s"`);
      const env = { ...hostPaths(hosts, THIRD, keys), ...(folder ? { PATH: folder.path } : {}) };
      await hosts.writeKeys(THIRD, 'no end');
      expect(await runCommand(command, env)).toMatchObject({ code: 0, text: expect.stringContaining('Signed in as') });
      expect(await hosts.keysOn(THIRD)).toBe(`no end\n${line()}`);
      const wrong = command.replace(/runward-enrol_\w+/, `runward-enrol_${'x'.repeat(63)}`);
      expect(await runCommand(wrong, env)).toMatchObject({
        code: 1,
        text: expect.stringContaining('does not know this enrolment'),
      });
    } finally {
      folder?.remove();
    }
  });
});
