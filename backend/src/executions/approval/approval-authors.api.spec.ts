import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { type ApprovalLab, startApprovalLab } from '../../../test/support/approval-lab.js';
import { made } from '../../../test/support/environment-scene.js';
import { eventually } from '../../../test/support/eventually.js';
import type { TestMember } from '../../../test/support/installation.js';
import type { ExecutionView } from '../contract/execution.view.js';

let lab: ApprovalLab;
let planAuthor: TestMember;
let author: TestMember;
/** Member who saves the plan after the author and changes only the description. */
let descriptionAuthor: TestMember;
let numbered = 0;

interface Scene {
  planId: string;
  scriptId: string;
  templateId: string;
  name: string;
}

const ok = async (answer: ReturnType<ApiClient['patch']>): Promise<void> => {
  const { status, text } = await answer;
  expect([status, text]).toEqual([200, expect.any(String)]);
};
const steps = (scriptId: string, templateId: string, command = 'true') => [
  { key: 'one', command },
  { key: 'two', type: 'script', scriptId },
  { key: 'three', type: 'template', templateId, path: `${lab.evidence}/${scriptId}` },
];

async function scene(): Promise<Scene> {
  numbered += 1;
  const name = `authors-${numbered}`;
  const { api } = planAuthor;
  const scriptId = await made(api.post('/api/scripts', { name, content: 'exit 0' }));
  const templateId = await made(api.post('/api/templates', { name, content: 'first' }));
  const plan = { name, environmentId: lab.environmentId, steps: steps(scriptId, templateId) };
  return { name, scriptId, templateId, planId: await made(api.post('/api/plans', plan)) };
}

async function approveAndRun(planId: string): Promise<void> {
  const { id } = await lab.waiting(planId);
  expect((await lab.approve(id)).status).toBe(200);
  expect((await lab.ended(id)).status).toBe('SUCCEEDED');
}

const readRunAs = async (id: string, { api }: TestMember) =>
  (await api.get<ExecutionView>(`/api/executions/${id}`)).body.approval;
const isAwaiting = async (id: string, { api }: TestMember) => {
  const { items } = (await api.get<{ items: ExecutionView[] }>('/api/executions?awaiting=me')).body;
  return items.some((run) => run.id === id);
};

/**
 * Asserts that all endpoints report the same approval rights of the member.
 * @param saved expected text of what the member saved; null = the member may approve
 */
async function expectObstacle(run: ExecutionView, member: TestMember, saved: RegExp | null): Promise<void> {
  const seen = await readRunAs(run.id, member);
  expect([seen?.currentUserCanDecide, seen?.currentUserObstacle?.code ?? null]).toEqual(
    saved ? [false, 'self_approval'] : [true, null],
  );
  expect(await isAwaiting(run.id, member)).toBe(saved === null);
  if (!saved) return;
  expect(seen?.currentUserObstacle?.text).toMatch(saved);
  const { status, body } = await lab.approve(run.id, member.api);
  expect([status, body.code, body.detail]).toEqual([403, 'self_approval', seen?.currentUserObstacle?.text]);
}

const cancel = async (id: string) => {
  await lab.api.post(`/api/executions/${id}/cancel`);
  await lab.ended(id);
};

beforeAll(async () => {
  lab = await startApprovalLab();
  await lab.runward.worker();
  planAuthor = await lab.runward.member(lab.admin, 'operator');
  author = await lab.runward.member(lab.admin, 'operator');
  descriptionAuthor = await lab.runward.member(lab.admin, 'operator');
  for (const member of [planAuthor, author, descriptionAuthor]) await lab.grant(member, 'approve');
});
afterAll(() => lab.close());

/** Changes by the author, each with the expected text of what the author saved; null = nothing that the run uses. */
const CONTENT_CHANGES: [string, (scene: Scene) => Promise<void>, ((scene: Scene) => RegExp) | null][] = [
  [
    'changed the steps',
    ({ planId, scriptId, templateId }) =>
      ok(author.api.patch(`/api/plans/${planId}`, { steps: steps(scriptId, templateId, 'echo other') })),
    ({ name }) => RegExp(`^You saved revision 2 of the plan "${name}", and that has not run approved in "lab"`),
  ],
  [
    'changed the description alone',
    ({ planId }) => ok(author.api.patch(`/api/plans/${planId}`, { description: 'other' })),
    ({ name }) => RegExp(`^You saved revision 2 of the plan "${name}"`),
  ],
  [
    'changed the steps and put the old ones back',
    async ({ planId, scriptId, templateId }) => {
      await ok(author.api.patch(`/api/plans/${planId}`, { steps: steps(scriptId, templateId, 'echo other') }));
      await ok(author.api.patch(`/api/plans/${planId}`, { steps: steps(scriptId, templateId) }));
    },
    ({ name }) => RegExp(`^You saved revision 3 of the plan "${name}"`),
  ],
  [
    'changed a script',
    ({ scriptId }) => ok(author.api.patch(`/api/scripts/${scriptId}`, { content: 'exit 0 # other' })),
    ({ name }) => RegExp(`^You saved revision 2 of the script "${name}"`),
  ],
  [
    'changed the interpreter of a script',
    ({ scriptId }) => ok(author.api.patch(`/api/scripts/${scriptId}`, { interpreter: '/bin/bash' })),
    ({ name }) => RegExp(`^You saved revision 2 of the script "${name}"`),
  ],
  [
    'changed a script that another member changed again',
    async ({ scriptId }) => {
      await ok(author.api.patch(`/api/scripts/${scriptId}`, { content: 'exit 0 # other' }));
      await ok(descriptionAuthor.api.patch(`/api/scripts/${scriptId}`, { content: 'exit 0' }));
    },
    ({ name }) => RegExp(`^You saved revision 2 of the script "${name}"`),
  ],
  [
    'changed a template',
    ({ templateId }) => ok(author.api.patch(`/api/templates/${templateId}`, { content: 'second' })),
    ({ name }) => RegExp(`^You saved revision 2 of the template "${name}"`),
  ],
  [
    'wrote another script that another member added',
    async ({ planId, templateId, name }) => {
      const other = await made(author.api.post('/api/scripts', { name: `${name} other`, content: 'exit 0' }));
      await ok(descriptionAuthor.api.patch(`/api/plans/${planId}`, { steps: steps(other, templateId) }));
    },
    ({ name }) => RegExp(`^You saved revision 1 of the script "${name} other"`),
  ],
  [
    'changed a plan that is called by a plan that is called',
    async ({ planId, name }) => {
      const plan = (which: string, step: object) =>
        made(descriptionAuthor.api.post('/api/plans', { name: `${name} ${which}`, steps: [{ key: 'one', ...step }] }));
      const innermost = await plan('innermost', { command: 'true' });
      const calledPlanId = await plan('called', { type: 'plan', planId: innermost });
      await ok(
        descriptionAuthor.api.patch(`/api/plans/${planId}`, {
          steps: [{ key: 'one', type: 'plan', planId: calledPlanId }],
        }),
      );
      await ok(author.api.patch(`/api/plans/${innermost}`, { steps: [{ key: 'one', command: 'echo other' }] }));
      await ok(descriptionAuthor.api.patch(`/api/plans/${innermost}`, { description: 'said otherwise' }));
    },
    ({ name }) => RegExp(`^You saved revision 2 of the plan "${name} innermost"`),
  ],
  [
    'gave a script another name',
    ({ scriptId, name }) => ok(author.api.patch(`/api/scripts/${scriptId}`, { name: `${name} renamed` })),
    null,
  ],
  [
    'changed a script that the plan does not use',
    async ({ name }) => {
      const other = await made(author.api.post('/api/scripts', { name: `${name} beside`, content: 'exit 0' }));
      await ok(author.api.patch(`/api/scripts/${other}`, { content: 'exit 1' }));
    },
    null,
  ],
];

describe.each([
  ['that ran approved there before', true],
  ['that never ran approved there', false],
] as const)('of a plan %s', (_, ran) => {
  it.each(CONTENT_CHANGES)(
    'the author who %s may approve it only if the run uses nothing of theirs',
    async (_name, change, saved) => {
      const current = await scene();
      if (ran) await approveAndRun(current.planId);
      await change(current);
      // Makes another member the last editor: the author must count anyway.
      await ok(descriptionAuthor.api.patch(`/api/plans/${current.planId}`, { description: 'said otherwise' }));
      const run = await lab.waiting(current.planId);
      await expectObstacle(run, author, saved && saved(current));
      await expectObstacle(run, descriptionAuthor, /^You saved revision \d of the plan/);
      await expectObstacle(run, planAuthor, ran ? null : /^You saved revision 1 of the plan/);
      await expectObstacle(run, lab.approver, null);
      await cancel(run.id);
    },
  );
});

describe('an approved run', () => {
  const changed = async (planId: string) => {
    await ok(author.api.patch(`/api/plans/${planId}`, { description: `saved ${(numbered += 1)}` }));
  };
  const expectAuthorObstacle = async (planId: string, saved: RegExp | null) => {
    const run = await lab.waiting(planId);
    await expectObstacle(run, author, saved);
    await cancel(run.id);
  };

  it('is not one that was rejected, nor one that was approved and cancelled before it began', async () => {
    const { planId } = await scene();
    await changed(planId);
    const rejected = await lab.waiting(planId);
    await lab.reject(rejected.id);
    await expectAuthorObstacle(planId, /revision 2/);
    await lab.policy({ requiredApprovals: 2 });
    const cancelled = await lab.waiting(planId);
    await lab.approve(cancelled.id);
    await cancel(cancelled.id);
    await lab.policy({ requiredApprovals: 1 });
    await expectAuthorObstacle(planId, /revision 2/);
    await approveAndRun(planId);
    await expectAuthorObstacle(planId, null);
  });

  it('is not a dry run, nor a run in another environment', async () => {
    const { planId } = await scene();
    await changed(planId);
    const dry = await lab.waiting(planId, lab.operator.api, { execution_mode: 'dry_run' });
    await lab.ended(dry.id);
    const environmentId = await lab.environment(`elsewhere ${numbered}`);
    await lab.server({ environmentId, hostname: 'localhost' });
    const elsewhere = await lab.waiting(planId, lab.operator.api, { environmentId });
    await lab.ended(elsewhere.id);
    await expectAuthorObstacle(planId, /revision 2/);
  });

  it('is not a newer revision, when an older one is rerun that was rejected', async () => {
    const { planId } = await scene();
    await changed(planId);
    const rejected = await lab.waiting(planId);
    await lab.reject(rejected.id);
    await ok(planAuthor.api.patch(`/api/plans/${planId}`, { description: 'put right' }));
    await approveAndRun(planId);
    const { body: again } = await lab.operator.api.post<ExecutionView>(`/api/executions/${rejected.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    await expectObstacle(again, author, /revision 2 of the plan/);
    await cancel(again.id);
  });

  it('still counts when a plan and a script were deleted since', async () => {
    const { planId, scriptId, name } = await scene();
    await ok(author.api.patch(`/api/scripts/${scriptId}`, { content: 'exit 0 # other' }));
    const rejected = await lab.waiting(planId);
    await lab.reject(rejected.id);
    expect((await lab.api.delete(`/api/plans/${planId}`)).status).toBe(204);
    expect((await lab.api.delete(`/api/scripts/${scriptId}`)).status).toBe(204);
    const { body: again } = await lab.operator.api.post<ExecutionView>(`/api/executions/${rejected.id}/rerun`, {
      hosts: 'all',
      snapshot: 'same',
    });
    await expectObstacle(again, author, RegExp(`^You saved a revision of the script "${name}", which was deleted`));
    await expectObstacle(again, planAuthor, RegExp(`^You saved a revision of the plan "${name}", which was deleted`));
    await cancel(again.id);
  });
});

describe('an author who approved because the environment allowed it', () => {
  it('does not count after the environment forbids it, also between two steps', async () => {
    const { planId } = await scene();
    const go = `${lab.evidence}/go-${numbered}`;
    await ok(
      author.api.patch(`/api/plans/${planId}`, {
        steps: [
          { key: 'one', command: `until [ -e ${go} ]; do sleep 0.05; done` },
          { key: 'two', command: lab.leaving(`two-${numbered}`) },
        ],
      }),
    );
    await lab.policy({ allowSelfApproval: true });
    const run = await lab.waiting(planId);
    expect((await lab.approve(run.id, author.api)).body.status).toBe('PENDING');
    await eventually('it runs', async () => (await lab.get(run.id)).status === 'RUNNING');
    await lab.policy({ allowSelfApproval: false });
    await writeFile(go, '');
    const waits = await lab.paused(run.id);
    expect(waits.approval).toMatchObject({ state: 'pending', reason: { code: 'approver_not_allowed' } });
    await expectObstacle(waits, author, /revision 2 of the plan/);
    expect(await lab.left(`two-${numbered}`)).toBe('');
    expect((await lab.approve(run.id)).status).toBe(200);
    expect((await lab.ended(run.id)).status).toBe('SUCCEEDED');
  });
});

describe('an approval', () => {
  it('carries the digest that the approver read, or is refused', async () => {
    const { planId } = await scene();
    const run = await lab.waiting(planId);
    const approve = (body: object) =>
      lab.approver.api.post<{ code: string }>(`/api/executions/${run.id}/approve`, body);
    for (const body of [{}, { comment: 'go' }, { digest: null }, { digest: '' }])
      expect([(await approve(body)).status, (await approve(body)).body.code]).toEqual([400, 'invalid_request']);
    const other = await approve({ digest: '0'.repeat(64) });
    expect([other.status, other.body.code]).toEqual([409, 'digest_changed']);
    expect((await lab.get(run.id)).approval?.decisions).toEqual([]);
    expect((await approve({ digest: run.digest })).status).toBe(200);
    await cancel(run.id);
  });
});

describe('the member who gave an approver their right', () => {
  const GRANTING_CHANGES: [string, RegExp, (admin: TestMember, member: TestMember) => Promise<unknown>][] = [
    [
      'the grant',
      /gave you your grant/,
      ({ api }, { userId }) => api.put(`/api/environments/${lab.environmentId}/grants/${userId}`, { level: 'approve' }),
    ],
    ['the role', /changed your role/, ({ api }, { userId }) => api.patch(`/api/members/${userId}`, { role: 'admin' })],
    [
      'the standing',
      /added you as a member/,
      async ({ api }, { userId }) => {
        await ok(api.patch(`/api/members/${userId}`, { role: 'admin', disabled: true }));
        await ok(api.patch(`/api/members/${userId}`, { disabled: false }));
      },
    ],
    [
      'a link to set their password',
      /created the link to set your password/,
      async ({ api }, { userId }) => {
        await lab.grant({ userId } as TestMember, 'approve');
        await api.post(`/api/members/${userId}/password-link`);
      },
    ],
  ];
  const expectRefused = async (id: string, member: TestMember, said: RegExp): Promise<void> => {
    const { status, body } = await lab.approve(id, member.api);
    expect([status, body.code]).toEqual([403, 'self_approval']);
    expect(body.detail).toMatch(said);
    const seen = await readRunAs(id, member);
    expect([seen?.currentUserCanDecide, seen?.currentUserObstacle?.text]).toEqual([false, body.detail]);
    expect(await isAwaiting(id, member)).toBe(false);
  };
  let adminMember: TestMember;
  let grantedMember: TestMember;
  beforeEach(async () => {
    adminMember = await lab.runward.member(lab.admin, 'admin');
    grantedMember = await lab.runward.member(lab.admin, 'operator');
  });

  it.each(GRANTING_CHANGES)('may not have given %s after the start of their own run', async (_, said, grantRight) => {
    const { planId } = await scene();
    const { id } = await lab.waiting(planId, adminMember.api);
    await grantRight(adminMember, grantedMember);
    await expectRefused(id, grantedMember, said);
    expect((await lab.approve(id)).status).toBe(200);
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
  });

  it.each(GRANTING_CHANGES)(
    'may not have given %s since the plan last ran approved there',
    async (_, said, grantRight) => {
      const { planId } = await scene();
      await approveAndRun(planId);
      await grantRight(adminMember, grantedMember);
      const { id } = await lab.waiting(planId, adminMember.api);
      await expectRefused(id, grantedMember, said);
      await cancel(id);
    },
  );

  it('may not have created the token that started the run either', async () => {
    const { planId } = await scene();
    const account = await made(
      adminMember.api.post('/api/service-accounts', { name: `robot ${planId}`, role: 'operator' }),
    );
    const token = await adminMember.api.post<{ token: string }>(`/api/service-accounts/${account}/tokens`, {
      name: 'robot',
    });
    const { id } = await lab.waiting(planId, apiClient(lab.runward.url, { token: token.body.token }));
    await GRANTING_CHANGES[0]![2](adminMember, grantedMember);
    await expectRefused(id, grantedMember, /gave you your grant/);
    await cancel(id);
  });

  it('may be any other member, or the requester before the first start', async () => {
    const { planId } = await scene();
    await GRANTING_CHANGES[0]![2](adminMember, grantedMember);
    const { id } = await lab.waiting(planId, adminMember.api);
    await lab.grant(author, null);
    await lab.grant(author, 'approve');
    for (const member of [grantedMember, author])
      expect((await readRunAs(id, member))?.currentUserCanDecide).toBe(true);
    await cancel(id);
  });

  it('is verified again when an approval is counted', async () => {
    const { planId } = await scene();
    await lab.policy({ requiredApprovals: 2 });
    const { id } = await lab.waiting(planId, adminMember.api);
    expect((await lab.approve(id, author.api)).status).toBe(200);
    await ok(adminMember.api.patch(`/api/members/${author.userId}`, { disabled: true }));
    await ok(adminMember.api.patch(`/api/members/${author.userId}`, { disabled: false }));
    expect((await lab.approve(id, lab.second.api)).body.status).toBe('PAUSED');
    expect((await lab.approve(id)).status).toBe(200);
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
    await lab.policy({ requiredApprovals: 1 });
  });
});
