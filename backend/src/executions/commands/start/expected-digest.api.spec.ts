import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, made, makeScene } from '../../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../../test/support/installation.js';
import type { Difference } from '../../../common/errors/problem.js';
import type { ExecutionView } from '../../contract/execution.view.js';

type Answered = ExecutionView & { code: string; detail: string; differences?: Difference[] };

let runward: Installation;
let admin: TestMember;
let scene: EnvironmentScene;
let numbered = 0;

const start = async (more: object = {}, api = admin.api) => {
  const body = { planId: scene.planId, execution_mode: 'auto', variables: { COLOUR: 'blue' }, ...more };
  return api.post<Answered>('/api/executions', body);
};
const dryRun = async (more: object = {}) => {
  const { status, body, text } = await start({ execution_mode: 'dry_run', ...more });
  if (status !== 201) throw new Error(text);
  return body;
};
const cancel = (id: string) => admin.api.post(`/api/executions/${id}/cancel`);
const environment = () => `/api/environments/${scene.environmentId}`;
const server = () => `/api/inventory/servers/${scene.serverId}`;
const plan = () => `/api/plans/${scene.planId}`;
const named = ({ kind, name, change }: Difference) => `${kind} ${name} ${change}`;

async function newScene(): Promise<void> {
  numbered += 1;
  scene = await makeScene(admin.api, {
    name: `digest-${numbered}`,
    hostname: `host-${numbered}.internal`,
    plan: {
      variables: [
        { name: 'COLOUR', type: 'string', required: true },
        { name: 'SIZE', type: 'integer', default: 1 },
      ],
      steps: [
        { key: 'one', command: 'echo {{ COLOUR }} {{ SIZE }}' },
        { key: 'two', command: 'true' },
      ],
    },
  });
  await admin.api.put(`${environment()}/variables/REGION`, { value: 'eu' });
  await admin.api.put(`${environment()}/variables/TOKEN`, { value: 'first', secret: true });
}

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

describe('the digest of a dry run', () => {
  it('equals the digest of the real start, in every mode', async () => {
    await newScene();
    const { digest, id } = await dryRun();
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    for (const execution_mode of ['auto', 'semi_assisted', 'interactive', 'dry_run']) {
      const { status, body } = await start({ execution_mode, expectedDigest: digest, note: execution_mode });
      expect([status, body.digest]).toEqual([201, digest]);
      await cancel(body.id);
    }
    await cancel(id);
  });

  it('does not depend on inputs that repeat the defaults', async () => {
    await newScene();
    const { digest } = await dryRun();
    const { body } = await start({ variables: { COLOUR: 'blue', SIZE: 1 }, environmentId: scene.environmentId });
    expect(body.digest).toBe(digest);
    await cancel(body.id);
  });
});

describe('a start that expects a digest', () => {
  type Way = [string, () => Promise<{ status: number; text: string }>, string[]];
  const START_VARIANTS: Way[] = [
    [
      'a command',
      () =>
        admin.api.patch(plan(), {
          steps: [
            { key: 'one', command: 'reboot' },
            { key: 'two', command: 'true' },
          ],
        }),
      ['step one changed'],
    ],
    [
      'a step more and one less',
      () =>
        admin.api.patch(plan(), {
          steps: [
            { key: 'one', command: 'echo {{ COLOUR }} {{ SIZE }}' },
            { key: 'three', command: 'true' },
          ],
        }),
      ['step two removed', 'step three added'],
    ],
    [
      'the order of the steps',
      () =>
        admin.api.patch(plan(), {
          steps: [
            { key: 'two', command: 'true' },
            { key: 'one', command: 'echo {{ COLOUR }} {{ SIZE }}' },
          ],
        }),
      ['setting order of the steps changed'],
    ],
    [
      'how many failures are put up with',
      () => admin.api.patch(plan(), { maxFailPercent: 50 }),
      ['setting maxFailPercent changed'],
    ],
    ['the targets of the plan', () => admin.api.patch(plan(), { targets: 'name=*' }), ['setting targets changed']],
    [
      'what a variable may be',
      () =>
        admin.api.patch(plan(), {
          variables: [
            { name: 'COLOUR', type: 'string', required: true, pattern: '[a-z]+' },
            { name: 'SIZE', type: 'integer', default: 1 },
          ],
        }),
      ['setting definition of COLOUR changed'],
    ],
    ['the plan’s locks', () => admin.api.patch(plan(), { locks: ['a'] }), ['setting locks changed']],
    [
      'the default of a variable',
      () =>
        admin.api.patch(plan(), {
          variables: [
            { name: 'COLOUR', type: 'string', required: true },
            { name: 'SIZE', type: 'integer', default: 2 },
          ],
        }),
      ['variable SIZE changed'],
    ],
    [
      'a variable of the environment',
      () => admin.api.put(`${environment()}/variables/REGION`, { value: 'us' }),
      ['variable REGION changed'],
    ],
    [
      'a variable more',
      () => admin.api.put(`${environment()}/variables/ZONE`, { value: 'a' }),
      ['variable ZONE added'],
    ],
    [
      'a secret',
      () => admin.api.put(`${environment()}/variables/TOKEN`, { value: 'second', secret: true }),
      ['secret TOKEN changed'],
    ],
    ['a secret less', () => admin.api.delete(`${environment()}/variables/TOKEN`), ['secret TOKEN removed']],
    ['the address of a host', () => admin.api.patch(server(), { hostname: 'other.internal' }), ['host changed']],
    ['the user of a host', () => admin.api.patch(server(), { username: 'root' }), ['host changed']],
    ['legacy algorithms of a host', () => admin.api.patch(server(), { legacyAlgorithms: true }), ['host changed']],
    ['the tags of a host', () => admin.api.patch(server(), { tags: { role: 'web' } }), ['host changed']],
    [
      'the SSH key of a host',
      async () => {
        const name = `other-${numbered}`;
        const sshKeyId = await made(admin.api.post('/api/ssh-keys', { name, generate: { type: 'ed25519' } }));
        return admin.api.patch(server(), { sshKeyId });
      },
      ['host changed'],
    ],
    [
      'a host more',
      () =>
        admin.api.post('/api/inventory/servers', {
          name: `more-${numbered}`,
          hostname: `more-${numbered}.internal`,
          username: 'a',
          sshKeyId: scene.keyId,
          environmentId: scene.environmentId,
        }),
      ['host added'],
    ],
  ];

  it.each(START_VARIANTS)('is refused with the difference when %s changed', async (_, change, expected) => {
    await newScene();
    const { digest } = await dryRun();
    const { status, text } = await change();
    expect([status < 300, text]).toEqual([true, text]);
    const refused = await start({ expectedDigest: digest });
    expect([refused.status, refused.body.code]).toEqual([409, 'digest_changed']);
    const differences = refused.body.differences ?? [];
    const host = / (digest|more)-\d+(-1)?(?= )/;
    expect(differences.map((each) => (each.kind === 'host' ? named(each).replace(host, '') : named(each)))).toEqual(
      expected,
    );
    for (const { kind, name } of differences) expect(refused.body.detail).toContain(`${kind} ${name}`);
    expect(refused.text).not.toMatch(/first|second/);
    const free = await start();
    expect(free.status).toBe(201);
    await cancel(free.body.id);
  });

  it('is refused with both values when its own value or selector differs', async () => {
    await newScene();
    const { digest } = await dryRun();
    const other = await start({ expectedDigest: digest, variables: { COLOUR: 'red' } });
    expect(other.body.differences).toEqual([
      { kind: 'variable', name: 'COLOUR', change: 'changed', before: 'blue', after: 'red' },
    ]);
    const narrowed = await start({ expectedDigest: digest, targets: 'name=*' });
    expect(narrowed.body.differences?.map(named)).toEqual(['setting targets of the start changed']);
  });

  it('is refused in another environment, and names it', async () => {
    await newScene();
    const { digest } = await dryRun();
    const first = scene;
    await newScene();
    const second = scene;
    scene = first;
    const { body } = await start({ environmentId: second.environmentId, expectedDigest: digest });
    expect([body.code, body.differences?.map(named)]).toEqual([
      'digest_changed',
      expect.arrayContaining(['setting environment changed']),
    ]);
  });

  it('is refused when a host was deleted and registered again with equal visible data', async () => {
    await newScene();
    const { digest, id } = await dryRun();
    await cancel(id);
    const { body: old } = await admin.api.get<Record<string, unknown>>(server());
    expect((await admin.api.delete(server())).status).toBe(204);
    const { name, hostname, port, username } = old;
    const fields = { name, hostname, port, username, sshKeyId: scene.keyId, environmentId: scene.environmentId };
    await made(admin.api.post('/api/inventory/servers', fields));
    const { status, body } = await start({ expectedDigest: digest });
    expect([status, body.code, body.differences]).toEqual([409, 'digest_changed', []]);
    expect(body.detail).toContain('cannot name the difference. For example, a server may have been registered again.');
  });

  it('is refused with advice when the digest is unknown', async () => {
    await newScene();
    const { status, body } = await start({ expectedDigest: '0'.repeat(64) });
    expect([status, body.code, body.differences]).toEqual([409, 'digest_changed', []]);
    expect(body.detail).toBe(
      'The run would differ from the expected digest. No run with the expected digest is known. Make another dry run and review it.',
    );
  });

  it('does not disclose a run that the caller cannot see', async () => {
    await newScene();
    const { digest } = await dryRun();
    const hidden = scene;
    await admin.api.patch(environment(), { access: 'restricted' });
    await newScene();
    const operator = await runward.member(admin, 'operator');
    const { body } = await start({ expectedDigest: digest }, operator.api);
    expect([body.code, body.differences]).toEqual(['digest_changed', []]);
    expect(JSON.stringify(body)).not.toContain(hidden.environmentId);
  });
});
