import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { makeFullHome } from '../../../test/support/full-home.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { releaseHosts } from '../../../test/support/release-hosts.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import { makeSudoUser } from '../../../test/support/sudo-user.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { ServerView } from '../servers.view.js';
import type { DiagnosisStep } from './diagnosis.js';
import type { DiagnosisStepView, DiagnosisView } from './diagnosis.view.js';

const PATH = '/api/inventory/servers';

let runward: Installation;
let admin: TestMember;
let hosts: SshHosts;
let sshKeyId: string;
let numbered = 0;
const cleanUp: (() => unknown)[] = [];

beforeAll(async () => {
  [runward, hosts] = await Promise.all([
    startInstallation({ RUNWARD_REFUSED_ADDRESSES: '127.0.9.0/24' }),
    startSshHosts(),
  ]);
  admin = await runward.tenant('acme');
  const privateKey = hosts.key.privateKey;
  sshKeyId = (await admin.api.post<{ id: string }>('/api/ssh-keys', { name: 'deploy', privateKey })).body.id;
});
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});
afterAll(async () => {
  await hosts.stop();
  await runward.close();
});

const environment = async (more: object = {}) => {
  numbered += 1;
  const body = { name: `environment-${numbered}`, ...more };
  return (await admin.api.post<{ id: string }>('/api/environments', body)).body.id;
};

async function register(fields: object = {}): Promise<string> {
  const { sshd } = hosts;
  const where = { hostname: '127.0.0.1', port: sshd.port, username: sshd.user };
  const hostKey = { publicKey: `${sshd.hostKey.type} ${sshd.hostKey.publicKey}` };
  const environmentId = await environment();
  const body = { name: `server-${numbered}`, ...where, sshKeyId, environmentId, hostKey, ...fields };
  const answer = await admin.api.post<ServerView>(PATH, body);
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const get = async (id: string) => (await admin.api.get<ServerView>(`${PATH}/${id}`)).body;

async function diagnose(id: string): Promise<DiagnosisStepView[]> {
  const { status, body } = await admin.api.post<DiagnosisView>(`${PATH}/${id}/diagnose`);
  expect([status, body.serverId]).toEqual([200, id]);
  return body.steps;
}

/** Returns the failed step. Requires that all earlier steps succeeded and all later ones were skipped. */
async function failure(id: string): Promise<DiagnosisStepView & { advice: string }> {
  const steps = await diagnose(id);
  const at = steps.findIndex(({ status }) => status === 'failed');
  expect(steps.slice(0, at).map(({ status }) => status)).toEqual(Array(Math.max(0, at)).fill('ok'));
  expect(steps.slice(at + 1).every(({ status }) => status === 'skipped')).toBe(true);
  return steps[at] as DiagnosisStepView & { advice: string };
}

const step = (steps: readonly DiagnosisStepView[], name: DiagnosisStep) => steps.find((each) => each.name === name);

async function serve(act: (socket: net.Socket) => void): Promise<number> {
  const sockets: net.Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).resume();
    act(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

async function hostThatRuns(command: string): Promise<string> {
  const own = await startSshHosts({ extraConfig: `ForceCommand ${command}` });
  cleanUp.push(() => own.stop());
  await own.sshd.addAuthorizedKey(hosts.key.publicKey);
  const { type, publicKey } = own.sshd.hostKey;
  return register({ port: own.sshd.port, hostKey: { publicKey: `${type} ${publicKey}` } });
}

describe('the diagnosis of a healthy host', () => {
  it('passes all steps, and becomes the last check of the server', async () => {
    const id = await register({ hostname: 'localhost' });
    const steps = await diagnose(id);
    const { fingerprint } = hosts.sshd.hostKey;
    expect(steps.slice(0, 7).map(({ name, status }) => `${name} ${status}`)).toEqual(
      ['resolve', 'tcp', 'banner', 'host_key', 'login', 'shell', 'journal'].map((name) => `${name} ok`),
    );
    expect(step(steps, 'resolve')?.message).toMatch(/^The name resolves to .*127\.0\.0\.1/);
    expect(step(steps, 'banner')?.message).toMatch(/^An SSH server answers: SSH-2\.0-OpenSSH_[\w.]+\.$/);
    expect(step(steps, 'host_key')?.message).toContain(fingerprint);
    expect(steps.every(({ durationMs }) => Number.isInteger(durationMs) && durationMs < 30_000)).toBe(true);
    expect(await get(id)).toMatchObject({
      lastCheck: { state: 'reachable', source: 'check' },
      lastReachedAddress: '127.0.0.1',
    });
    const sql = 'select action from audit_entries where resource_id = $1 order by id';
    const actions = await queryAs<{ action: string }>(runward.database, admin.tenantId, sql, [id]);
    expect(actions.map(({ action }) => action)).toEqual(['server.create', 'server.diagnose']);
  });

  it('leaves nothing behind on the host', async () => {
    const user = await makeSudoUser('doctor', null);
    cleanUp.push(() => user.remove());
    const home = `/var/lib/${user.name}`;
    expect(step(await diagnose(await register({ username: user.name })), 'journal')?.status).toBe('ok');
    expect(await readdir(home)).toEqual([]);
  });

  it.each([
    ['ALL=(ALL) NOPASSWD: /bin/sh', 'ok', /with sudo without a password/, undefined],
    [null, 'warning', /asks runward-\S+ for a password, or does not let/, undefined],
    ['ALL=(ALL) NOPASSWD: ALL', 'warning', /requires a terminal for runward-\S+ \(requiretty\)/, 'requiretty'],
  ])('reports whether sudo lets steps become another user: %s', async (rule, state, message, defaults) => {
    const user = await makeSudoUser('doctor', rule, defaults);
    cleanUp.push(() => user.remove());
    const sudo = step(await diagnose(await register({ username: user.name })), 'sudo');
    expect(sudo).toMatchObject({ status: state, message: expect.stringMatching(message) });
    const advice = defaults ? `Defaults:${user.name} !requiretty` : 'NOPASSWD: /bin/sh';
    if (state === 'warning') expect(sudo?.advice).toContain(advice);
  });
});

describe('the diagnosis of a blocked connection', () => {
  it('detects an unknown host name', async () => {
    const found = await failure(await register({ hostname: 'nowhere.invalid' }));
    expect(found).toMatchObject({ name: 'resolve', message: 'The name nowhere.invalid was not found.' });
    expect(found.advice).toContain('DNS');
  });

  it('detects a closed port', async () => {
    const port = await serve(() => undefined);
    cleanUp.splice(0).forEach((undo) => undo());
    const id = await register({ port });
    expect(await failure(id)).toMatchObject({ name: 'tcp', message: expect.stringContaining('nothing listens') });
    expect((await get(id)).lastCheck).toMatchObject({ state: 'unreachable' });
  });

  it('detects an address that the installation refuses, and one of a protected environment', async () => {
    const refused = await failure(await register({ hostname: '127.0.9.1' }));
    expect(refused).toMatchObject({ name: 'resolve', message: expect.stringContaining('RUNWARD_REFUSED_ADDRESSES') });
    const port = await serve(() => undefined);
    // A new environment, because the other tests signed in at other ports of the address.
    const environmentId = await environment({ protected: true });
    const guardedId = await register({
      hostname: '127.0.0.1',
      port,
      environmentId,
      hostKey: undefined,
      confirmHosts: true,
    });
    const id = await register({ hostname: 'localhost', port, hostKey: undefined });
    const guarded = await failure(id);
    expect(guarded).toMatchObject({ name: 'tcp', message: expect.stringContaining('protected environment') });
    expect((await get(id)).lastCheck?.state).toBe('protected_host');
    expect((await admin.api.delete(`${PATH}/${guardedId}`)).status).toBe(204);
    await releaseHosts(admin.api, environmentId);
  });

  it('detects a service that is not an SSH server, and repeats nothing of its text', async () => {
    const port = await serve((socket) => socket.end('220 c4nary.internal ESMTP\r\n'));
    const found = await failure(await register({ port }));
    expect(found).toMatchObject({ name: 'banner', message: expect.stringContaining('a mail or FTP server') });
    expect(JSON.stringify(found)).not.toContain('c4nary');
  });

  it('detects a silent service', async () => {
    const found = await failure(await register({ port: await serve(() => undefined) }));
    expect(found).toMatchObject({ name: 'banner', message: expect.stringContaining('did not name itself') });
  });
});

describe("the diagnosis of the host's identity and the login", () => {
  it('shows the key of a host without a pinned key, which can be accepted then', async () => {
    const id = await register({ hostKey: undefined });
    const { fingerprint } = hosts.sshd.hostKey;
    const found = await failure(id);
    expect(found).toMatchObject({ name: 'host_key', message: expect.stringContaining(fingerprint) });
    expect(found.advice).toContain('ssh-keygen -lf');
    expect((await admin.api.put(`${PATH}/${id}/host-key`, { fingerprint })).status).toBe(200);
    expect(step(await diagnose(id), 'login')?.status).toBe('ok');
  });

  it.each(['ed25519', 'ecdsa'] as const)(
    'shows both keys where the host has another one than the pinned %s key',
    async (type) => {
      const { publicKey, fingerprint } = await generateKeyPair({ type });
      const id = await register({ hostKey: { publicKey } });
      const found = await failure(id);
      expect(found).toMatchObject({ name: 'host_key', message: expect.stringContaining(fingerprint) });
      if (type === 'ed25519') expect(found.message).toContain(hosts.sshd.hostKey.fingerprint);
      expect(await get(id)).toMatchObject({
        seenHostKey: hosts.sshd.hostKey,
        lastCheck: { state: 'host_key_changed' },
      });
    },
  );

  it('contains the line to add where the host refuses the login', async () => {
    const made = await admin.api.post<{ id: string; publicKey: string }>('/api/ssh-keys', {
      name: 'stranger',
      generate: { type: 'ed25519' },
    });
    const id = await register({ sshKeyId: made.body.id });
    const found = await failure(id);
    expect(found).toMatchObject({ name: 'login', message: expect.stringContaining(`login of ${hosts.sshd.user}`) });
    expect(made.body.publicKey).toMatch(/^ssh-ed25519 AAAA/);
    expect(found.advice).toContain(`~${hosts.sshd.user}/.ssh/authorized_keys`);
    expect(found.advice).toContain(made.body.publicKey);
    expect((await get(id)).lastCheck?.state).toBe('login_refused');
  });
});

describe("the diagnosis of the host's environment", () => {
  it('detects a login shell that runs no command', async () => {
    const found = await failure(await hostThatRuns('/usr/sbin/nologin'));
    expect(found).toMatchObject({ name: 'shell', advice: expect.stringContaining('/bin/sh') });
  });

  it('detects a login shell that becomes another one, and runs nothing in it', async () => {
    const found = await failure(await hostThatRuns('exec sh'));
    expect(found).toMatchObject({ name: 'shell', message: expect.stringContaining('runs another shell (exec zsh)') });
  });

  it('detects a login shell that prints', async () => {
    const steps = await diagnose(await hostThatRuns('echo hello; exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"'));
    expect(step(steps, 'shell')).toMatchObject({ status: 'warning', message: expect.stringContaining('prints text') });
    expect(step(steps, 'journal')?.status).toBe('ok');
  });

  it('detects a login shell that never starts the command', async () => {
    const found = await failure(await hostThatRuns('sleep 86400'));
    expect(found).toMatchObject({
      name: 'shell',
      message: expect.stringContaining('runs a program that waits for input'),
    });
  });

  it.each([
    ['/usr', 'cannot write to the home directory'],
    ['/nowhere', 'has no home directory'],
  ])('detects a home directory that accepts no journal: %s', async (home, message) => {
    const steps = await diagnose(await hostThatRuns(`env HOME=${home} /bin/sh -c "$SSH_ORIGINAL_COMMAND"`));
    expect(step(steps, 'journal')).toMatchObject({ status: 'warning', message: expect.stringContaining(message) });
    expect(step(steps, 'journal')?.advice).toContain('Commands still run');
  });

  it('distinguishes a full home directory and a file size limit, and leaves nothing there', async () => {
    const full = makeFullHome();
    const home = await mkdtemp(path.join(os.tmpdir(), 'runward-limited-'));
    await chmod(home, 0o777);
    cleanUp.push(() => rm(home, { recursive: true, force: true }));
    cleanUp.push(() => full.remove());
    const homeAt = (folder: string) => `env HOME=${folder} /bin/sh -c "$SSH_ORIGINAL_COMMAND"`;
    const id = await hostThatRuns(homeAt(full.home));
    const message = expect.stringContaining('home directory is full');
    const advice = expect.stringContaining('Commands still run');
    expect(step(await diagnose(id), 'journal')).toMatchObject({ status: 'warning', message, advice });
    expect((await get(id)).lastCheck).toMatchObject({ state: 'reachable', reason: { text: message } });
    const limited = step(await diagnose(await hostThatRuns(`ulimit -f 0; ${homeAt(home)}`)), 'journal');
    expect(limited).toMatchObject({ status: 'warning', message: expect.stringContaining('could not be written') });
    expect([await readdir(full.home), await readdir(home)]).toEqual([['big.log'], []]);
  });

  it('detects a host that requires a second factor, and shows no line for an installed key', async () => {
    const extraConfig = 'KbdInteractiveAuthentication yes\nAuthenticationMethods publickey,keyboard-interactive';
    const own = await startSshHosts({ extraConfig });
    cleanUp.push(() => own.stop());
    await own.sshd.addAuthorizedKey(hosts.key.publicKey);
    const { type, publicKey } = own.sshd.hostKey;
    const id = await register({ port: own.sshd.port, hostKey: { publicKey: `${type} ${publicKey}` } });
    const found = await failure(id);
    expect(found).toMatchObject({ name: 'login', message: expect.stringContaining('demands keyboard-interactive') });
    expect(found.advice).toMatch(/^Exempt this login in its sshd_config: Match User/);
    expect((await get(id)).lastCheck).toMatchObject({
      state: 'login_refused',
      reason: { text: expect.stringContaining('demands keyboard-interactive') },
    });
  });

  it('detects a journal folder that is a link, and missing programs', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'runward-doctor-'));
    await chmod(folder, 0o755);
    cleanUp.push(() => rm(folder, { recursive: true, force: true }));
    const [bin, home] = [path.join(folder, 'bin'), path.join(folder, 'home')];
    for (const each of [bin, home]) await mkdir(each);
    await symlink('/tmp', path.join(home, '.runward'));
    for (const program of ['cat', 'tee', 'mkdir', 'id']) await symlink(`/usr/bin/${program}`, path.join(bin, program));
    const linked = await diagnose(await hostThatRuns(`env HOME=${home} /bin/sh -c "$SSH_ORIGINAL_COMMAND"`));
    expect(step(linked, 'journal')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('~/.runward'),
    });
    const weakServer = await diagnose(
      await hostThatRuns(`/usr/bin/env PATH=${bin} /bin/sh -c "$SSH_ORIGINAL_COMMAND"`),
    );
    expect(step(weakServer, 'journal')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('lacks setsid, mkfifo'),
    });
    expect(step(weakServer, 'sudo')).toMatchObject({
      status: 'warning',
      message: 'sudo is not installed on the host.',
    });
  });
});

it('a diagnosis is available to members who may check the server', async () => {
  const id = await register();
  const viewer = await runward.member(admin, 'viewer');
  const stranger = await runward.tenant('other');
  expect((await viewer.api.post(`${PATH}/${id}/diagnose`)).status).toBe(403);
  expect((await stranger.api.post(`${PATH}/${id}/diagnose`)).status).toBe(404);
});
