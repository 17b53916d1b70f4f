import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { made } from '../../../test/support/environment-scene.js';
import { changePolicy } from '../../../test/support/environment-policy.js';
import type { TestMember } from '../../../test/support/installation.js';
import { endedRun, pausedRun, trailOf } from '../../../test/support/paused-run.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';

const OTHER_HOST_KEY = {
  type: 'ssh-ed25519',
  publicKey: 'AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  fingerprint: `SHA256:${'A'.repeat(43)}`,
};
const APPROVED_OUTPUT = 'v1 first 127.0.1.1\n';

let lab: RunLab;
let numbered = 0;
let scene: Scene;

interface Scene {
  environment: string;
  server: string;
  plan: string;
  requester: TestMember;
  approver: TestMember;
  run: ExecutionView;
  evidence(): Promise<string>;
}

async function setScene(more: object = {}): Promise<Scene> {
  numbered += 1;
  const file = `binding-${numbered}`;
  const environmentId = await lab.environment(file);
  const environment = `/api/environments/${environmentId}`;
  const [requester, approver] = [
    await lab.runward.member(lab.admin, 'operator'),
    await lab.runward.member(lab.admin, 'viewer'),
  ];
  await lab.api.put(`${environment}/variables/RELEASE`, { value: 'v1' });
  await lab.api.put(`${environment}/variables/TOKEN`, { value: 'first', secret: true });
  await lab.api.put(`${environment}/grants/${requester.userId}`, { level: 'run' });
  await lab.api.put(`${environment}/grants/${approver.userId}`, { level: 'approve' });
  const server = await lab.server({ environmentId, hostname: '127.0.1.1', tags: { role: 'web' } });
  await lab.api.patch(environment, { access: 'restricted', protected: true, confirmHosts: true, ...more });
  const plan = await lab.plan(
    [`echo {{ RELEASE }} "$TOKEN" $(echo $SSH_CONNECTION | cut -d' ' -f3) >> ${lab.evidence}/${file}`],
    { environmentId, targets: 'role=web', variables: [{ name: 'RELEASE', type: 'string', required: true }] },
  );
  const { status, body, text } = await lab.tryStart(plan, {}, requester.api);
  if (status !== 201) throw new Error(text);
  return {
    environment,
    server: `/api/inventory/servers/${server.id}`,
    plan: `/api/plans/${plan}`,
    requester,
    approver,
    run: body,
    evidence: () => lab.left(file),
  };
}

const approve = (digest = scene.run.digest, by = scene.approver) =>
  by.api.post<ExecutionView & { code: string }>(`/api/executions/${scene.run.id}/approve`, { digest });
async function approved(): Promise<void> {
  const { status, text } = await approve();
  expect([status, text]).toEqual([200, expect.any(String)]);
}
async function runWithWorker(): Promise<ExecutionView> {
  const worker = await lab.runward.worker();
  const run = await endedRun(lab, scene.run.id);
  await worker.stop();
  return run;
}
async function runUntilApprovalNeeded(): Promise<ExecutionView> {
  const worker = await lab.runward.worker();
  const { items } = (
    await lab.api.get<{ items: ExecutionView[] }>(`/api/executions?environmentId=${scene.run.environmentId}`)
  ).body;
  expect(items).toHaveLength(1);
  await lab.api.get(`/api/executions/${scene.run.id}?wait=20&until=change&version=${items[0]?.version}`);
  const run = await pausedRun(lab, scene.run.id);
  await worker.stop();
  return run;
}
const sql = (text: string, ...values: unknown[]) => lab.runward.database.query(text, values);
const changed = async (answer: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answer;
  expect([status, text]).toEqual([expect.any(Number), expect.any(String)]);
  expect(status).toBeLessThan(300);
};

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
});
afterEach(async () => {
  await lab.api.post(`/api/executions/${scene.run.id}/cancel`);
  await changePolicy(lab.api, scene.environment, { protected: false });
});
afterAll(() => lab.close());

type Change = [string, () => Promise<unknown>];

describe('the requested content', () => {
  const CHANGES: Change[] = [
    ['the plan', () => changed(lab.api.patch(scene.plan, { steps: [{ key: 'step-1', command: 'echo other' }] }))],
    ['the plan’s targets', () => changed(lab.api.patch(scene.plan, { targets: 'role=other' }))],
    ['a variable', () => changed(lab.api.put(`${scene.environment}/variables/RELEASE`, { value: 'v2' }))],
    ['the tags of a server', () => changed(lab.api.patch(scene.server, { tags: { role: 'other' } }))],
    [
      'the address of a server',
      () => changed(lab.api.patch(scene.server, { hostname: '127.0.1.2', confirmHosts: true })),
    ],
    [
      'the SSH key of a server',
      async () => {
        const name = `other ${numbered}`;
        const sshKeyId = await made(lab.api.post('/api/ssh-keys', { name, generate: { type: 'ed25519' } }));
        await changed(lab.api.patch(scene.server, { sshKeyId }));
      },
    ],
    [
      'the host key of a server',
      () => sql('update servers set host_key = $2 where id = $1', scene.server.split('/').at(-1), OTHER_HOST_KEY),
    ],
    [
      'the servers of the environment',
      async () => {
        const environmentId = scene.run.environmentId;
        await lab.server({ environmentId, hostname: '127.0.1.2', tags: { role: 'web' }, confirmHosts: true });
      },
    ],
    [
      'a secret that the run does not have',
      () => changed(lab.api.put(`${scene.environment}/variables/MORE`, { value: 'further', secret: true })),
    ],
  ];

  it.each(CHANGES)('runs unchanged when %s was changed between request and approval', async (_, change) => {
    scene = await setScene();
    await change();
    await approved();
    expect((await runWithWorker()).status).toBe('SUCCEEDED');
    expect(await scene.evidence()).toBe(APPROVED_OUTPUT);
  });

  it.each(CHANGES)('runs unchanged when %s was changed between approval and run', async (_, change) => {
    scene = await setScene();
    await approved();
    await change();
    expect((await runWithWorker()).status).toBe('SUCCEEDED');
    expect(await scene.evidence()).toBe(APPROVED_OUTPUT);
  });
});

describe('a run with a secret', () => {
  const CHANGES: [string, () => Promise<unknown>, string][] = [
    [
      'another value',
      () => changed(lab.api.put(`${scene.environment}/variables/TOKEN`, { value: 'second', secret: true })),
      'v1 second 127.0.1.1\n',
    ],
    ['no value any more', () => changed(lab.api.delete(`${scene.environment}/variables/TOKEN`)), 'v1 127.0.1.1\n'],
  ];

  it.each(CHANGES)('needs a new review when the secret got %s while the run waited', async (_, change, evidence) => {
    scene = await setScene();
    await change();
    const first = await approve();
    expect([first.status, first.body.code]).toEqual([409, 'digest_changed']);
    const waits = await lab.get(scene.run.id);
    expect(waits.approval).toMatchObject({ state: 'pending', reason: { code: 'secret_changed' }, decisions: [] });
    expect(waits.digest).not.toBe(scene.run.digest);
    expect((await approve()).body.code).toBe('digest_changed');
    expect((await approve(waits.digest)).body.status).toBe('PENDING');
    expect(await trailOf(lab, scene.run.id)).toEqual([
      ...['execution.start', 'execution.renew_approval', 'execution.approve', 'execution.pending'],
    ]);
    expect((await runWithWorker()).status).toBe('SUCCEEDED');
    expect((await scene.evidence()).replace('  ', ' ')).toBe(evidence);
  });

  it.each(CHANGES)('returns to approval when the secret got %s after the approval', async (_, change, evidence) => {
    scene = await setScene();
    await approved();
    await change();
    const waits = await runUntilApprovalNeeded();
    expect(waits.pause).toMatchObject({ reason: 'APPROVAL', text: expect.stringMatching(/^The secret "TOKEN" was/) });
    expect(waits.approval).toMatchObject({ state: 'pending', reason: { code: 'secret_changed' }, decisions: [] });
    expect(await scene.evidence()).toBe('');
    expect((await approve()).body.code).toBe('digest_changed');
    expect((await approve(waits.digest)).body.status).toBe('PENDING');
    expect((await runWithWorker()).status).toBe('SUCCEEDED');
    expect((await scene.evidence()).replace('  ', ' ')).toBe(evidence);
  });
});

describe('a requester', () => {
  const LOST_RIGHTS: Change[] = [
    ['the grant', () => changed(lab.api.delete(`${scene.environment}/grants/${scene.requester.userId}`))],
    [
      'a part of the grant',
      () => changed(lab.api.put(`${scene.environment}/grants/${scene.requester.userId}`, { level: 'view' })),
    ],
    ['the role', () => changed(lab.api.patch(`/api/members/${scene.requester.userId}`, { role: 'viewer' }))],
    ['the membership', () => changed(lab.api.patch(`/api/members/${scene.requester.userId}`, { disabled: true }))],
  ];

  it.each(LOST_RIGHTS)(
    'whose run ends CANCELLED on no host after they lost %s, before or after the approval',
    async (_, applyLoss) => {
      for (const early of [true, false]) {
        scene = await setScene();
        if (early) await applyLoss();
        await approved();
        if (!early) await applyLoss();
        const run = await runWithWorker();
        expect(run).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'starter_not_allowed' } });
        expect(run.statusReason?.text).toMatch(/^operator \d+, who started it, may no longer run in "binding-\d+"\.$/);
        expect(await lab.results(run.id)).toEqual([]);
        expect(await scene.evidence()).toBe('');
        await changePolicy(lab.api, scene.environment, { protected: false });
      }
    },
  );
});

describe('an approver', () => {
  const LOST_RIGHTS: [string, () => Promise<unknown>, number][] = [
    [
      'the grant',
      () => changed(lab.api.put(`${scene.environment}/grants/${scene.approver.userId}`, { level: 'view' })),
      403,
    ],
    ['the membership', () => changed(lab.api.patch(`/api/members/${scene.approver.userId}`, { disabled: true })), 401],
  ];

  it.each(LOST_RIGHTS)('cannot approve after losing %s', async (_, applyLoss, status) => {
    scene = await setScene();
    await applyLoss();
    expect((await approve()).status).toBe(status);
    expect((await lab.get(scene.run.id)).status).toBe('PAUSED');
  });

  it.each(LOST_RIGHTS)(
    'who loses %s after approving invalidates the approval: another approver is needed',
    async (_, applyLoss) => {
      scene = await setScene();
      await approved();
      await applyLoss();
      const waits = await runUntilApprovalNeeded();
      expect(waits.approval).toMatchObject({
        state: 'pending',
        reason: { code: 'approver_not_allowed' },
        decisions: [],
      });
      expect(await scene.evidence()).toBe('');
      const another = await lab.runward.member(lab.admin, 'admin');
      expect((await approve(waits.digest, another)).body.status).toBe('PENDING');
      expect((await runWithWorker()).status).toBe('SUCCEEDED');
      expect(await scene.evidence()).toBe(APPROVED_OUTPUT);
    },
  );

  it('who was an admin and became an operator invalidates the approval', async () => {
    scene = await setScene();
    const another = await lab.runward.member(lab.admin, 'admin');
    expect((await approve(scene.run.digest, another)).status).toBe(200);
    await changed(lab.api.patch(`/api/members/${another.userId}`, { role: 'operator' }));
    expect((await runUntilApprovalNeeded()).approval).toMatchObject({ reason: { code: 'approver_not_allowed' } });
    expect(await scene.evidence()).toBe('');
  });
});

describe('the protection of an environment', () => {
  it('holds back an unclaimed run when it is switched on', async () => {
    scene = await setScene({ protected: false });
    expect(scene.run.status).toBe('PENDING');
    await changed(lab.api.patch(scene.environment, { protected: true, confirmHosts: true }));
    const waits = await runUntilApprovalNeeded();
    expect(waits.approval).toMatchObject({ state: 'pending', reason: { code: 'environment_protected' } });
    expect(await scene.evidence()).toBe('');
    await approved();
    expect((await runWithWorker()).status).toBe('SUCCEEDED');
    expect(await scene.evidence()).toBe(APPROVED_OUTPUT);
  });

  it('does not release a waiting run when it is switched off', async () => {
    scene = await setScene();
    await changed(changePolicy(lab.api, scene.environment, { protected: false }));
    const worker = await lab.runward.worker();
    const other = await lab.plan(['true'], { targets: 'name=web-2' });
    await lab.settled((await lab.start(other)).id);
    await worker.stop();
    expect((await lab.get(scene.run.id)).status).toBe('PAUSED');
    expect(await scene.evidence()).toBe('');
  });

  it('applies to a host that was moved into it: a run started in another environment ends CANCELLED', async () => {
    scene = await setScene();
    await approved();
    const environmentId = await made(
      lab.api.post('/api/environments', { name: `stricter ${numbered}`, protected: true, access: 'restricted' }),
    );
    await changed(lab.api.patch(scene.server, { environmentId, confirmHosts: true }));
    const run = await runWithWorker();
    expect(run).toMatchObject({ status: 'CANCELLED', statusReason: { code: 'protected_host' } });
    // The requester may see the run without seeing the other environment.
    const seen = await scene.requester.api.get(`/api/executions/${scene.run.id}`);
    expect([seen.status, seen.text]).toEqual([200, expect.not.stringContaining('stricter')]);
    expect(await scene.evidence()).toBe('');
    await changePolicy(lab.api, environmentId, { protected: false });
  });
});
