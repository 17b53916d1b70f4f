import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/eventually.js';
import { isAlive } from '../../../test/support/processes.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { HostResultView } from '../contract/results.view.js';

let lab: RunLab;
let run: ExecutionView;
let results: Map<string, HostResultView>;

const result = (name: string) => results.get(name);
const onEach = (commands: Record<string, string>) =>
  `case "$SSH_CONNECTION" in ${Object.entries(commands)
    .map(([last, command]) => `*" 127.0.1.${last} "*) ${command};;`)
    .join(' ')} esac`;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 6, spare: 3 });
  await lab.runward.worker({ recoverySeconds: 3 });
  const stranger = await lab.api.post<{ id: string }>('/api/ssh-keys', {
    name: 'stranger',
    generate: { type: 'ed25519' },
  });
  const otherKey = await generateKeyPair({ type: 'ed25519', comment: 'other' });
  await lab.server({ name: 'closed', port: 1 });
  await lab.server({ name: 'nowhere', hostname: 'no-such-host.invalid' });
  await lab.server({ name: 'refusing', hostname: lab.spare[0], sshKeyId: stranger.body.id });
  await lab.server({ name: 'unpinned', hostname: lab.spare[1], hostKey: undefined });
  await lab.server({ name: 'changed', hostname: lab.spare[2], hostKey: { publicKey: otherKey.publicKey } });
  const command = onEach({
    1: 'no-such-command --now',
    2: 'echo before; exit 7',
    3: 'kill -KILL $$',
    4: `sleep 300 & echo $$ $! > ${lab.evidence}/pids; sleep 301`,
    5: `echo x > ${lab.evidence}/data; ${lab.evidence}/data`,
    6: 'echo fine',
  });
  run = await lab.run([
    { key: 'work', command, timeoutSeconds: 3 },
    { key: 'later', command: `echo later >> ${lab.evidence}/later` },
  ]);
  results = new Map((await lab.results(run.id, 'limit=200&stepKey=work')).map((each) => [each.serverName, each]));
});
afterAll(() => lab.close());

describe('an unusable host', () => {
  it.each([
    ['closed', 'UNREACHABLE', 'connection_refused', 'Check that an SSH server listens on this port'],
    ['nowhere', 'UNREACHABLE', 'host_not_found', 'Check the host name'],
    ['refusing', 'UNREACHABLE', 'login_refused', "that user's authorized_keys"],
    ['unpinned', 'HOST_KEY_UNKNOWN', 'host_key_unknown', 'compare the fingerprint and accept it'],
    ['changed', 'HOST_KEY_CHANGED', 'host_key_changed', 'accept the new one only if the host was reinstalled'],
  ])('%s: is %s with the code %s and advice', (name, status, code, advice) => {
    expect(result(name)).toMatchObject({
      status,
      reason: { code },
      exitCode: null,
      signal: null,
      attempts: 0,
      outputLines: 0,
    });
    expect(result(name)?.reason?.text).toContain(advice);
  });
});

describe('a command that fails', () => {
  it.each([
    ['web-1', 'command_not_found', { exitCode: 127 }, 'Install it, or write its full path'],
    ['web-2', 'exit_code', { exitCode: 7, outputLines: 1 }, 'see its output'],
    ['web-5', 'command_not_executable', { exitCode: 126 }, 'Check its permissions'],
    ['web-3', 'exit_code', { exitCode: 137, signal: null }, 'signal SIGKILL'],
  ])('on %s fails with the code %s, what was observed, and advice', (name, code, observed, advice) => {
    expect(result(name)).toMatchObject({ status: 'FAILED', reason: { code }, attempts: 1, ...observed });
    expect(result(name)?.reason?.text).toContain(advice);
  });

  it("is stopped on the host with its child processes when it exceeds its step's limit", async () => {
    expect(result('web-4')).toMatchObject({ status: 'TIMED_OUT', reason: { code: 'step_timed_out' } });
    expect(result('web-4')?.reason?.text).toBe("The command ran longer than the step's limit of 3 s. It was stopped.");
    const pids = (await lab.left('pids')).trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(await isAlive(pid)).toBe(false);
  });
});

describe('a command that leaves a process which keeps writing to its output', () => {
  it("succeeds with its own exit code after a grace period, even beyond its step's limit, and names the process", async () => {
    const daemon = `while [ ! -e ${lab.evidence}/enough ]; do echo tick; sleep 0.5; done`;
    const ended = await lab.run([{ command: `(${daemon}) & echo $! >${lab.evidence}/daemon`, timeoutSeconds: 3 }], {
      targets: 'name=web-6',
    });
    const pid = (await lab.left('daemon')).trim();
    await writeFile(`${lab.evidence}/enough`, '');
    expect(ended.status).toBe('SUCCEEDED');
    const [seen] = await lab.results(ended.id);
    expect(seen).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
    expect(seen?.reason?.text).toMatch(new RegExp(`left .* sh \\(process ${pid}\\).*Redirect it`));
  });
});

describe('other hosts of such a run', () => {
  it('continue and succeed', () => {
    expect(result('web-6')).toMatchObject({ status: 'SUCCEEDED', exitCode: 0, reason: null });
    expect([...results.values()].filter(({ status }) => status === 'SUCCEEDED')).toHaveLength(1);
  });
});

describe('such a run', () => {
  it('ends FAILED, and counts failed hosts by kind of failure', () => {
    expect(run).toMatchObject({ status: 'FAILED', successful: false, statusReason: { code: 'hosts_failed' } });
    expect(run.statusReason?.text).toBe(
      '4 failed, 1 timed out, 3 unreachable, 1 with a host key that was not accepted, 1 with a changed host key of 11 hosts in step "work".',
    );
    expect(run.steps[0]).toMatchObject({
      status: 'FAILED',
      counts: { FAILED: 4, TIMED_OUT: 1, UNREACHABLE: 3, HOST_KEY_UNKNOWN: 1, HOST_KEY_CHANGED: 1, SUCCEEDED: 1 },
    });
  });

  it('skips later steps with the reason, and starts none of them on any host', async () => {
    expect(run.steps[1]).toMatchObject({
      status: 'SKIPPED',
      reason: { code: 'earlier_step_failed', text: 'Step "work" failed.' },
      counts: {},
    });
    expect(await lab.left('later')).toBe('');
  });
});

describe('a host that disconnects during a command', () => {
  let dropping: SshHosts;
  beforeAll(async () => {
    dropping = await startSshHosts();
  });
  afterAll(() => dropping.stop());

  it('has an UNKNOWN result, never SUCCEEDED; other hosts continue and the run ends INTERRUPTED', async () => {
    const { sshd, key } = dropping;
    const imported = await lab.api.post<{ id: string }>('/api/ssh-keys', {
      name: 'dropping',
      privateKey: key.privateKey,
    });
    const hostKey = { publicKey: `${sshd.hostKey.type} ${sshd.hostKey.publicKey}` };
    await lab.server({
      name: 'dropping',
      hostname: '127.0.0.1',
      port: sshd.port,
      hostKey,
      sshKeyId: imported.body.id,
      tags: { role: 'shaky' },
    });
    const command = `echo go >> ${lab.evidence}/drop; echo heard; case "$SSH_CONNECTION" in *" 127.0.0.1 "*) sleep 300;; *) sleep 1;; esac`;
    const planId = await lab.plan([command, `echo later >> ${lab.evidence}/later`], {
      targets: 'name in (dropping, web-6)',
    });
    const { id } = await lab.start(planId);
    await eventually('both hosts have begun', async () => (await lab.left('drop')) === 'go\ngo\n');
    await eventually('its output is stored', async () => (await lab.lines(id)).length === 2);
    sshd.kill();
    const ended = await lab.settled(id);
    expect(ended).toMatchObject({ status: 'INTERRUPTED', statusReason: { code: 'hosts_lost' } });
    expect(ended.statusReason?.text).toContain('1 with an unknown result of 2 hosts');
    const [first, second] = await lab.results(id);
    expect(first).toMatchObject({
      serverName: 'dropping',
      status: 'UNKNOWN',
      reason: { code: 'unreachable' },
      exitCode: null,
      outputLines: 1,
    });
    expect(first?.reason?.text).toContain('Check the host before you rerun the step.');
    expect(second).toMatchObject({ serverName: 'web-6', status: 'SUCCEEDED' });
    expect(await lab.left('later')).toBe('');
  });
});

describe("a run that exceeds the plan's own limit", () => {
  it('ends TIMED_OUT: the command is stopped, and later steps never begin', async () => {
    const steps = [`echo $$ > ${lab.evidence}/late; sleep 300`, `echo later >> ${lab.evidence}/later`];
    const ended = await lab.run(steps, { targets: 'name=web-6', timeoutSeconds: 2 });
    expect(ended).toMatchObject({
      status: 'TIMED_OUT',
      statusReason: { code: 'run_timed_out' },
      steps: [{ status: 'FAILED' }, { status: 'CANCELLED' }],
    });
    expect((await lab.results(ended.id))[0]).toMatchObject({ status: 'TIMED_OUT', reason: { code: 'run_timed_out' } });
    expect(await isAlive(Number(await lab.left('late')))).toBe(false);
    expect(await lab.left('later')).toBe('');
  });
});

it('reports a login that can run no command as failed, and knows it before the next start', async () => {
  const shut = await startSshHosts({ addresses: ['127.0.3.77'], extraConfig: 'ForceCommand /usr/sbin/nologin' });
  try {
    await shut.sshd.addAuthorizedKey(lab.hosts.key.publicKey);
    const [hostname = '', port] = [shut.sshd.addresses[0], shut.sshd.port];
    const { id } = await lab.server({ name: 'shut', hostname, port, hostKey: shut.hostKey(hostname) });
    const { id: runId, planId } = await lab.run([`echo x >> ${lab.evidence}/shut`], { targets: 'name=shut' });
    expect((await lab.results(runId))[0]).toMatchObject({
      status: 'FAILED',
      reason: { code: 'exec_refused' },
      exitCode: null,
    });
    expect(await lab.left('shut')).toBe('');
    await eventually('the state is stored', async () => {
      const { body } = await lab.api.get<{ state: string }>(`/api/inventory/servers/${id}`);
      return body.state === 'no_commands';
    });
    const preview = await lab.api.post<{ servers: object[] }>(`/api/plans/${planId}/targets`, {
      environmentId: lab.environmentId,
    });
    expect(preview.body.servers).toMatchObject([{ name: 'shut', lastCheckState: 'no_commands' }]);
    const warnings = [
      {
        reason: { code: 'no_commands', text: expect.stringMatching(/^Runward can sign in to "shut", but/) },
        hosts: ['shut'],
        hostCount: 1,
      },
    ];
    const again = await lab.start(planId, { targets: 'name=shut' });
    expect(again.warnings).toEqual(warnings);
    expect((await lab.settled(again.id)).warnings).toEqual([]);
    const dry = await lab.start(planId, { targets: 'name=shut', execution_mode: 'dry_run' });
    expect((await lab.settled(dry.id)).warnings).toEqual(warnings);
    const other = await lab.start(await lab.plan(['true']), { targets: 'name=web-6', execution_mode: 'dry_run' });
    expect(other.warnings).toEqual([]);
  } finally {
    await shut.stop();
  }
});
