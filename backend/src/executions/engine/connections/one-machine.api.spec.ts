import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { type SshHosts, startSshHosts } from '../../../../test/support/ssh-hosts.js';

let lab: RunLab;
/** One host, which is known by an address and by a name. */
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
  const hostKey = { publicKey: `${sshd.hostKey.type} ${sshd.hostKey.publicKey}` };
  for (const [name, fields] of Object.entries(servers))
    await lab.server({ name, environmentId, port: sshd.port, username: sshd.user, hostKey, ...fields });
  return environmentId;
}

const TWICE = { address: { hostname: '127.0.0.1' }, name: { hostname: 'localhost' } };

describe('a machine that stands in a run under two names', () => {
  let environmentId: string;
  beforeAll(async () => {
    environmentId = await environmentOf(TWICE);
  });

  it.each([
    ['shared among workers', {}],
    ['one after the other', { batch: 1 }],
  ])('is worked on once, %s: the other host is refused, and nothing is started for it', async (how, more) => {
    const file = `once-${how}`;
    const command = `echo ran >> '${lab.evidence}/${file}'`;
    const { id, status } = await lab.run([{ command, maxFailPercent: 100, ...more }, { command }], { environmentId });
    expect(status).toBe('PARTIALLY_SUCCEEDED');
    const results = await lab.results(id);
    const first = results.filter(({ stepKey }) => stepKey === 'step-1');
    expect(first.map((each) => `${each.status} ${each.code}`).sort()).toEqual([
      'SUCCEEDED null',
      'UNREACHABLE duplicate_address',
    ]);
    const refused = first.find(({ status }) => status === 'UNREACHABLE');
    expect(refused?.message).toMatch(/is the same machine as .* of this run: both are .* with one host key/);
    // Two steps, each on the one host that is left.
    expect(await lab.left(file)).toBe('ran\nran\n');
  });

  it('is foreseen by a dry run to be worked on once', async () => {
    const { id, status } = await lab.run(['true'], { environmentId, start: { execution_mode: 'dry_run' } });
    expect(status).toBe('FAILED');
    const verdicts = (await lab.results(id)).map(({ verdict, code }) => `${verdict} ${code}`);
    expect(verdicts.sort()).toEqual(['BLOCKED duplicate_address', 'WOULD_RUN no_check']);
  });
});

describe('two hosts of a run', () => {
  it('that never showed an accepted key are told from those that show another one', async () => {
    const environmentId = await environmentOf({
      'never accepted': { hostname: '127.0.0.1', hostKey: undefined },
      'another key': {
        hostname: 'localhost',
        hostKey: { publicKey: `${lab.hosts.sshd.hostKey.type} ${lab.hosts.sshd.hostKey.publicKey}` },
      },
    });
    const run = await lab.run(['true'], { environmentId });
    const results = await lab.results(run.id);
    expect(results.map((each) => `${each.serverName}: ${each.status} ${each.code}`).sort()).toEqual([
      'another key: HOST_KEY_MISMATCH host_key_changed',
      'never accepted: HOST_KEY_UNKNOWN host_key_unknown',
    ]);
    expect(run.steps[0]?.counts).toMatchObject({ HOST_KEY_UNKNOWN: 1, HOST_KEY_MISMATCH: 1 });
    expect(run.statusReason).toMatchObject({
      text: expect.stringContaining(
        '1 with a host key that nobody has accepted, 1 with a host key that is not the pinned one',
      ),
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
    const codes = (await lab.results(id)).map(({ serverName, code }) => `${serverName} ${code}`);
    expect(codes.sort()).toEqual(['one null', 'other login_refused']);
  });
});
