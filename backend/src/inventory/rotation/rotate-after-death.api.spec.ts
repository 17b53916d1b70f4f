import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { type KeyHosts, startKeyHosts } from '../../../test/support/key-hosts.js';
import { labWorkers } from '../../../test/support/lab-workers.js';
import { withLockedRows } from '../../../test/support/row-lock.js';
import type { WorkerProcess } from '../../../test/support/worker-process.js';
import type { RotationHostView, RotationView } from './rotation.view.js';

const ADDRESSES = Array.from({ length: 4 }, (_, index) => `127.0.5.${index + 1}`);

let runward: Installation;
let hosts: KeyHosts;
let admin: TestMember;
const { work, workProcess, endWorkers } = labWorkers(() => runward);

beforeAll(async () => {
  [runward, hosts] = await Promise.all([startInstallation(), startKeyHosts(ADDRESSES)]);
});
afterEach(endWorkers);
afterAll(async () => {
  await runward.close();
  await hosts.stop();
});

const made = async (where: string, body: object) => {
  const answer = await admin.api.post<{ id: string }>(where, body);
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.body.id;
};

async function scene(hostname: string) {
  admin = await runward.tenant();
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
  const environmentId = await made('/api/environments', { name: 'live' });
  const sshKeyId = await made('/api/ssh-keys', { name: 'deploy', privateKey: hosts.hosts.key.privateKey });
  const { hostKey, user: username, port } = hosts.hosts.sshd;
  const publicKey = `${hostKey.type} ${hostKey.publicKey}`;
  const server = { name: 'web-1', hostname, port, username, sshKeyId, environmentId, hostKey: { publicKey } };
  const serverId = await made('/api/inventory/servers', server);
  const rotate = () => made(`/api/ssh-keys/${sshKeyId}/rotate`, { generate: { type: 'ed25519' } });
  return { serverId, rotate };
}

const hostOf = async (id: string) =>
  (await admin.api.get<{ items: RotationHostView[] }>(`/api/key-rotations/${id}/hosts`)).body.items[0];

const expireLease = (id: string) =>
  runward.database.query(`update key_rotations set lease_until = now() - interval '1 second' where id = $1`, [id]);

type Lock = ChildProcessByStdio<Writable, Readable, null>;

async function lockFile(address: string): Promise<Lock> {
  const child = spawn('flock', [path.join(hosts.home(address), '.ssh'), 'sh', '-c', 'echo held; read x'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  return child;
}
async function release(child: Lock): Promise<void> {
  const ended = once(child, 'exit');
  child.stdin.end('\n');
  await ended;
}

/** Whether a script on the host waits for the lock: it sleeps between its attempts. */
const waitsForLock = (address: string): boolean =>
  readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const [command, environment] = ['cmdline', 'environ'].map((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
      return /^sleep\0/.test(command ?? '') && (environment ?? '').includes(`HOME=${hosts.home(address)}\0`);
    } catch {
      return false;
    }
  });

const kill = (worker: WorkerProcess) => worker.end('SIGKILL');

async function expectEndsWell(id: string, serverId: string, address: string) {
  const check = async () =>
    (await admin.api.post<{ state: string }>(`/api/inventory/servers/${serverId}/check`)).body.state;
  expect(await check()).toBe('reachable');
  await expireLease(id);
  await work();
  const over = await eventually('it is over', async () => {
    const { body } = await admin.api.get<RotationView>(`/api/key-rotations/${id}`);
    return !body.open && body;
  });
  expect(over.counts).toMatchObject({ done: 1 });
  const { body } = await admin.api.get<{ publicKey: string }>(`/api/ssh-keys/${over.newKey.id}`);
  expect(await hosts.keysOn(address)).toBe(`${body.publicKey}\n`);
  expect(await check()).toBe('reachable');
}

describe('a rotation whose worker is killed', () => {
  it('continues with the next worker while the new key is installed', async () => {
    const [address = ''] = ADDRESSES;
    const { serverId, rotate } = await scene(address);
    const worker = await workProcess();
    const lock = await lockFile(address);
    const id = await rotate();
    await eventually('the script waits', () => waitsForLock(address));
    await kill(worker);
    await release(lock);
    await expectEndsWell(id, serverId, address);
  });

  it('continues with the next worker after the new key was verified and before the server uses it', async () => {
    const [, address = ''] = ADDRESSES;
    const { serverId, rotate } = await scene(address);
    const worker = await workProcess();
    let gone: Promise<unknown> | undefined;
    const lock = `select 1 from servers where id = '${serverId}' for update`;
    const id = await withLockedRows(runward.database, lock, 1, rotate, () => {
      gone = kill(worker);
    });
    await gone;
    expect(await hostOf(id)).toMatchObject({ status: 'installed' });
    await expectEndsWell(id, serverId, address);
  });

  it('continues with the next worker while the old key is removed', async () => {
    const [, , address = ''] = ADDRESSES;
    const { serverId, rotate } = await scene(address);
    const worker = await workProcess();
    const id = await rotate();
    await eventually('the server has the new key', async () => (await hostOf(id))?.status === 'switched');
    const lock = await lockFile(address);
    await eventually('the script waits', () => waitsForLock(address));
    await kill(worker);
    await release(lock);
    await expectEndsWell(id, serverId, address);
  });

  it('continues with the next worker after the old key was removed and before that is stored', async () => {
    const [, , , address = ''] = ADDRESSES;
    const { serverId, rotate } = await scene(address);
    const worker = await workProcess();
    const id = await rotate();
    await eventually('the server has the new key', async () => (await hostOf(id))?.status === 'switched');
    const lock = await lockFile(address);
    await eventually('the script waits', () => waitsForLock(address));
    let gone: Promise<unknown> | undefined;
    const row = `select 1 from key_rotation_hosts where rotation_id = '${id}' for update`;
    await withLockedRows(
      runward.database,
      row,
      1,
      () => release(lock),
      () => {
        gone = kill(worker);
      },
    );
    await gone;
    expect(await hosts.keysOn(address)).not.toContain(hosts.hosts.key.publicKey);
    await expectEndsWell(id, serverId, address);
  });
});
