import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LabServer, type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { changePolicy } from '../../../../test/support/environment-policy.js';
import { generateKeyPair } from '../../../transport/keys/key-material.js';
import { type SshHosts, startSshHosts } from '../../../../test/support/ssh-hosts.js';

let lab: RunLab;
let machine: SshHosts;

beforeAll(async () => {
  [lab, machine] = await Promise.all([
    startRunLab({ settings: { RUNWARD_SLICE_HOSTS: '1' } }),
    startSshHosts({ addresses: ['127.0.0.1'] }),
  ]);
  await machine.sshd.addAuthorizedKey(lab.hosts.key.publicKey);
  await Promise.all([lab.runward.worker(), lab.runward.worker()]);
});
afterAll(async () => {
  await machine.stop();
  await lab.close();
});

async function environmentOf(servers: Record<string, object>): Promise<string> {
  const environmentId = await lab.environment(Object.keys(servers).join(' and '));
  const { sshd } = machine;
  const hostKey = machine.hostKey();
  for (const [name, fields] of Object.entries(servers))
    await lab.server({ name, environmentId, port: sshd.port, username: sshd.user, hostKey, ...fields });
  return environmentId;
}

const DUPLICATE_HOSTS = { address: { hostname: '127.0.0.1' }, name: { hostname: 'localhost' } };

async function share(shared: boolean): Promise<void> {
  const { body } = await lab.api.get<{ items: LabServer[] }>('/api/inventory/servers?q=address');
  const answer = await lab.api.put(`/api/inventory/servers/${body.items[0]?.id}/host-key/shared`, { shared });
  expect(answer.status).toBe(200);
}

describe('a machine that is in a run under two names', () => {
  let environmentId: string;
  beforeAll(async () => {
    environmentId = await environmentOf(DUPLICATE_HOSTS);
  });

  it('is reported before the start with both names and advice, and runs under one of them', async () => {
    const file = 'refused';
    const planId = await lab.plan([`echo ran >> '${lab.evidence}/${file}'`], { environmentId });
    const { status, body, text } = await lab.tryStart(planId);
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'same_host_key' });
    expect(text).toContain('\\"name\\" and \\"address\\"');
    expect(await lab.left(file)).toBe('');
    expect((await lab.settled((await lab.start(planId, { targets: 'name=name' })).id)).status).toBe('SUCCEEDED');
  });

  it("is shown in the preview of the start's hosts", async () => {
    const planId = await lab.plan(['true'], { environmentId });
    const preview = async (targets: string) =>
      (await lab.api.post(`/api/plans/${planId}/targets`, { targets })).body as Record<string, unknown>;
    expect(await preview('')).toMatchObject({
      count: 2,
      sameMachineCount: 1,
      sameMachines: [{ name: 'name', sameAs: 'address' }],
    });
    expect(await preview('name=name')).toMatchObject({ count: 1, sameMachineCount: 0, sameMachines: [] });
  });

  it('is predicted by a dry run to run once', async () => {
    const { id, status } = await lab.run(['true'], { environmentId, start: { execution_mode: 'dry_run' } });
    expect(status).toBe('FAILED');
    const verdicts = (await lab.results(id)).map(({ verdict, reason }) => `${verdict} ${reason?.code ?? null}`);
    expect(verdicts.sort()).toEqual(['BLOCKED same_host_key', 'WOULD_RUN no_check']);
  });

  it('is detected by any key that both pin, on any port, and not by a certificate authority', async () => {
    const [own, other] = await Promise.all([1, 2].map(() => generateKeyPair({ type: 'ecdsa', comment: 'host' })));
    const common = { publicKey: own?.publicKey };
    const foreign = { publicKey: other?.publicKey };
    const place = await environmentOf({
      first: { hostname: 'one.invalid', hostKey: undefined, hostKeys: [machine.hostKey(), common] },
      second: { hostname: 'two.invalid', hostKey: undefined, port: 2222, hostKeys: [common] },
      third: { hostname: 'three.invalid', hostKey: undefined, hostKeys: [{ ...foreign, certAuthority: true }] },
      fourth: { hostname: 'four.invalid', hostKey: undefined, hostKeys: [{ ...foreign, certAuthority: true }] },
    });
    const { text } = await lab.tryStart(await lab.plan(['true'], { environmentId: place }));
    expect(text).toContain('each pair is one machine: \\"second\\" and \\"first\\".');
  });

  it('invalidates approval and rerun when its key is no longer marked as shared', async () => {
    const place = await environmentOf({ 'address here': DUPLICATE_HOSTS.address, 'name here': DUPLICATE_HOSTS.name });
    const policy = { protected: true, requiredApprovals: 1, allowSelfApproval: true };
    await share(true);
    const planId = await lab.plan(['true'], { environmentId: place });
    const { id: done } = await lab.settled((await lab.start(planId)).id);
    expect((await lab.api.patch(`/api/environments/${place}`, { ...policy, confirmHosts: true })).status).toBe(200);
    const { id, digest } = await lab.start(planId);
    await share(false);
    for (const snapshot of ['same', 'current']) {
      const again = await lab.api.post(`/api/executions/${done}/rerun`, { hosts: 'all', snapshot });
      expect([again.status, (again.body as { code: string }).code]).toEqual([409, 'same_host_key']);
    }
    expect((await lab.api.post(`/api/executions/${id}/approve`, { digest })).status).toBeLessThan(300);
    expect(await lab.settled(id)).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'same_host_key' } });
    await changePolicy(lab.api, place, { protected: false });
  });
});

describe('a machine under two names whose key is marked as shared by several machines', () => {
  let environmentId: string;
  beforeAll(async () => {
    environmentId = await environmentOf({ 'address too': DUPLICATE_HOSTS.address, 'name too': DUPLICATE_HOSTS.name });
    await share(true);
  });
  afterAll(() => share(false));

  it.each([
    ['shared among workers', {}],
    ['one after the other', { batch: 1 }],
  ])('runs once, %s: the other host is refused and starts nothing', async (how, more) => {
    const file = `once-${how}`;
    const command = `echo ran >> '${lab.evidence}/${file}'`;
    const { id, status } = await lab.run([{ command, maxFailPercent: 100, ...more }, { command }], { environmentId });
    expect(status).toBe('PARTIALLY_SUCCEEDED');
    const results = await lab.results(id);
    const first = results.filter(({ stepKey }) => stepKey === 'step-1');
    expect(first.map((each) => `${each.status} ${each.reason?.code ?? null}`).sort()).toEqual([
      'SUCCEEDED null',
      'UNREACHABLE duplicate_address',
    ]);
    const refused = first.find(({ status }) => status === 'UNREACHABLE');
    expect(refused?.reason?.text).toMatch(
      /is the same machine as .* of this run: both use the login .* and their pinned host keys do not distinguish them/,
    );
    expect(await lab.left(file)).toBe('ran\nran\n');
  });

  it('is predicted by a dry run to run once', async () => {
    const { id, status } = await lab.run(['true'], { environmentId, start: { execution_mode: 'dry_run' } });
    expect(status).toBe('FAILED');
    const verdicts = (await lab.results(id)).map(({ verdict, reason }) => `${verdict} ${reason?.code ?? null}`);
    expect(verdicts.sort()).toEqual(['BLOCKED duplicate_address', 'WOULD_RUN no_check']);
  });
});

describe('two hosts of a run', () => {
  it('are distinguished when one never proved an accepted key and the other proves a different one', async () => {
    const environmentId = await environmentOf({
      'never accepted': { hostname: '127.0.0.1', hostKey: undefined },
      'another key': {
        hostname: 'localhost',
        hostKey: { publicKey: `${lab.hosts.sshd.hostKey.type} ${lab.hosts.sshd.hostKey.publicKey}` },
      },
    });
    const run = await lab.run(['true'], { environmentId });
    const results = await lab.results(run.id);
    expect(results.map((each) => `${each.serverName}: ${each.status} ${each.reason?.code ?? null}`).sort()).toEqual([
      'another key: HOST_KEY_CHANGED host_key_changed',
      'never accepted: HOST_KEY_UNKNOWN host_key_unknown',
    ]);
    expect(run.steps[0]?.counts).toMatchObject({ HOST_KEY_UNKNOWN: 1, HOST_KEY_CHANGED: 1 });
    expect(run.statusReason).toMatchObject({
      text: expect.stringContaining('1 with a host key that was not accepted, 1 with a changed host key'),
    });
    expect((await lab.results(run.id, 'status=HOST_KEY_UNKNOWN')).map(({ serverName }) => serverName)).toEqual([
      'never accepted',
    ]);
  });

  it('may be two logins on one machine', async () => {
    const environmentId = await environmentOf({
      one: { hostname: '127.0.0.1' },
      other: { hostname: '127.0.0.1', username: 'nobody-knows' },
    });
    const { id } = await lab.run(['true'], { environmentId });
    const codes = (await lab.results(id)).map(({ serverName, reason }) => `${serverName} ${reason?.code ?? null}`);
    expect(codes.sort()).toEqual(['one null', 'other login_refused']);
  });
});
