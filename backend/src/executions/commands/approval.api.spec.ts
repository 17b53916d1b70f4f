import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { apiClient, type ApiClient } from '../../../test/support/api-client.js';
import { type ApprovalLab, startApprovalLab, type SteeringAnswer } from '../../../test/support/approval-lab.js';
import { comparable } from '../../../test/support/environment-scene.js';
import { eventually } from '../../../test/support/eventually.js';
import { PASSWORD, type TestMember, type TestWorker } from '../../../test/support/installation.js';
import { overdue } from '../../../test/support/paused-run.js';
import { seededRandom } from '../../../test/support/seeded-random.js';
import { newId } from '../../common/ids.js';
import type { ExecutionView } from '../contract/execution.view.js';

let lab: ApprovalLab;
let planId: string;
let worker: TestWorker | null = null;
let run: ExecutionView;

const get = (id: string, by: ApiClient) => by.get<ExecutionView>(`/api/executions/${id}`).then(({ body }) => body);
const withdraw = (id: string, by: ApiClient) => by.post<SteeringAnswer>(`/api/executions/${id}/withdraw-approval`);
const cancel = (id: string) => lab.api.post(`/api/executions/${id}/cancel`);
const refusal = ({ status, body }: { status: number; body: SteeringAnswer }) => [status, body.code];

beforeAll(async () => {
  lab = await startApprovalLab();
  planId = await lab.plan([lab.leaving('approved')]);
});
beforeEach(async () => {
  await lab.policy({ protected: true, requiredApprovals: 1, allowSelfApproval: false, approvalTtlSeconds: 86_400 });
  run = await lab.waiting(planId);
});
afterEach(async () => {
  await worker?.stop();
  worker = null;
  await cancel(run.id);
});
afterAll(() => lab.close());

describe('a run in a protected environment', () => {
  it('waits for approval before any host is touched, and names the approvers and the deadline', async () => {
    worker = await lab.runward.worker();
    expect(run).toMatchObject({
      status: 'PAUSED',
      finished: false,
      pauseReason: 'APPROVAL',
      pause: { reason: 'APPROVAL', stepKey: null, choices: [] },
      approval: { required: true, state: 'pending', requiredApprovals: 1, decisions: [], reason: null },
      startedAt: null,
    });
    expect(run.approval?.requestedBy.id).toBe(lab.operator.userId);
    expect(run.approval?.expiresAt).toBe(run.expiresAt);
    const ttl = Date.parse(run.approval?.expiresAt ?? '') - Date.parse(run.approval?.requestedAt ?? '');
    expect(ttl).toBe(86_400_000);
    const other = await lab.environment('open');
    await lab.server({ environmentId: other, hostname: 'localhost', hostKey: undefined });
    await lab.settled((await lab.start(await lab.plan(['true']), { environmentId: other })).id);
    expect((await get(run.id, lab.api)).status).toBe('PAUSED');
    expect(await lab.results(run.id)).toEqual([]);
    expect(await lab.left('approved')).toBe('');
  });

  it('runs after the approval and records the approver', async () => {
    const { status, body } = await lab.approve(run.id, lab.approver.api, { comment: 'go', digest: run.digest });
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'PENDING', pause: null, approval: { state: 'approved' } });
    expect(body.approval?.decisions).toMatchObject([
      { user: { id: lab.approver.userId }, decision: 'approved', comment: 'go' },
    ]);
    worker = await lab.runward.worker();
    expect((await lab.settled(run.id)).status).toBe('SUCCEEDED');
    expect(await lab.left('approved')).toBe('ran\n');
  });

  it('records one audit entry for each transition and decision, and matching events', async () => {
    await lab.approve(run.id);
    worker = await lab.runward.worker();
    await lab.settled(run.id);
    expect(await lab.trail(run.id)).toEqual([
      ...['execution.start', 'execution.approve', 'execution.pending'],
      ...['execution.running', 'execution.succeeded'],
    ]);
    const recorded = (await lab.events(run.id)).filter((each) => /^(execution|approval)/.test(each));
    expect(recorded).toEqual([
      ...['execution.status_changed PAUSED', 'approval.requested'],
      ...['approval.decided approved', 'execution.status_changed PENDING'],
      ...['execution.status_changed RUNNING', 'execution.status_changed SUCCEEDED', 'execution.finished SUCCEEDED'],
    ]);
  });

  it('ends REJECTED with the comment when one member rejects it, before any host was touched', async () => {
    await lab.policy({ requiredApprovals: 2 });
    await cancel(run.id);
    run = await lab.waiting(planId);
    await lab.approve(run.id, lab.second.api);
    const { status, body } = await lab.reject(run.id);
    expect([status, body.status, body.statusReason?.code]).toEqual([200, 'REJECTED', 'rejected']);
    expect(body.statusReason?.text).toMatch(/^Rejected by viewer \d+: not tonight$/);
    expect(body.approval).toMatchObject({ state: 'rejected' });
    expect(body.hosts.map((host) => host.status)).toEqual(['CANCELLED']);
    expect(await lab.trail(run.id)).toEqual([
      ...['execution.start', 'execution.approve', 'execution.reject', 'execution.rejected'],
    ]);
    expect(refusal(await lab.approve(run.id))).toEqual([409, 'not_waiting']);
    run = await lab.waiting(planId);
  });

  it('runs when an approver regained the right and approves again', async () => {
    await lab.policy({ requiredApprovals: 2 });
    await cancel(run.id);
    run = await lab.waiting(planId);
    await lab.approve(run.id);
    await lab.grant(lab.approver, null);
    expect((await lab.approve(run.id, lab.second.api)).body.status).toBe('PAUSED');
    const other = await lab.runward.member(lab.admin, 'admin');
    const grant = `/api/environments/${lab.environmentId}/grants/${lab.approver.userId}`;
    expect((await other.api.put(grant, { level: 'approve' })).status).toBe(200);
    expect((await lab.approve(run.id)).body.status).toBe('PENDING');
    await cancel(run.id);
    run = await lab.waiting(planId);
  });

  it('waits for a second approval when the policy was tightened', async () => {
    await lab.policy({ requiredApprovals: 2 });
    expect((await get(run.id, lab.api)).approval?.requiredApprovals).toBe(2);
    expect((await lab.approve(run.id)).body.status).toBe('PAUSED');
    expect((await lab.approve(run.id, lab.second.api)).body.status).toBe('PENDING');
  });

  it('cannot be rejected without a comment', async () => {
    for (const body of [{}, { comment: '' }, { comment: 5 }]) {
      const answer = await lab.reject(run.id, lab.approver.api, body);
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    }
    expect((await get(run.id, lab.api)).status).toBe('PAUSED');
  });

  it('no longer waits for approval after it was cancelled', async () => {
    expect((await cancel(run.id)).status).toBe(200);
    expect(await get(run.id, lab.api)).toMatchObject({ status: 'CANCELLED', approval: { state: 'cancelled' } });
    expect(refusal(await lab.approve(run.id))).toEqual([409, 'not_waiting']);
    expect(refusal(await lab.reject(run.id))).toEqual([409, 'not_waiting']);
    expect(refusal(await withdraw(run.id, lab.approver.api))).toEqual([409, 'not_waiting']);
    expect(await lab.trail(run.id)).toEqual(['execution.start', 'execution.cancelled']);
  });

  it('accepts the first of two simultaneous approvals and answers the second with a conflict', async () => {
    const answers = await Promise.all([lab.approve(run.id), lab.approve(run.id, lab.second.api)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await lab.trail(run.id)).filter((action) => action === 'execution.pending')).toHaveLength(1);
  });

  it('accepts only one of a simultaneous approval and rejection', async () => {
    const answers = await Promise.all([lab.approve(run.id), lab.reject(run.id, lab.second.api)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const { status } = await get(run.id, lab.api);
    expect(status).toBe(answers[0].status === 200 ? 'PENDING' : 'REJECTED');
  });
});

describe('a member who may approve', () => {
  const canDecide = async (member: TestMember) => (await get(run.id, member.api)).approval;

  it('is one with the grant `approve`, in any role; other grants are not enough', async () => {
    expect(await canDecide(lab.approver)).toMatchObject({ currentUserCanDecide: true, currentUserObstacle: null });
    const colleague = await lab.runward.member(lab.admin, 'operator');
    for (const level of [null, 'view', 'run'] as const) {
      await lab.grant(colleague, level);
      expect(await canDecide(colleague)).toMatchObject({
        currentUserCanDecide: false,
        currentUserObstacle: { code: 'grant_required' },
      });
      expect(refusal(await lab.approve(run.id, colleague.api))).toEqual([403, 'grant_required']);
      expect(refusal(await lab.reject(run.id, colleague.api))).toEqual([403, 'grant_required']);
    }
    await lab.grant(colleague, 'approve');
    expect((await lab.approve(run.id, colleague.api)).status).toBe(200);
  });

  it('is an admin without a grant', async () => {
    const another = await lab.runward.member(lab.admin, 'admin');
    expect((await lab.approve(run.id, another.api)).status).toBe(200);
  });

  it('is not the requester, by session or by token', async () => {
    const starter = await lab.runward.member(lab.admin, 'operator');
    await lab.grant(starter, 'approve');
    await cancel(run.id);
    const login = await lab.runward.anonymous.post('/api/auth/login', { email: starter.email, password: PASSWORD });
    const session = apiClient(lab.runward.url, { cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] });
    const { body } = await session.post<{ token: string }>('/api/tokens', { name: 'another' });
    const clients = [session, starter.api, apiClient(lab.runward.url, { token: body.token })];
    for (const starts of clients) {
      run = await lab.waiting(planId, starts);
      for (const approves of clients)
        expect(refusal(await lab.approve(run.id, approves))).toEqual([403, 'self_approval']);
      expect((await get(run.id, session)).approval).toMatchObject({ currentUserObstacle: { code: 'self_approval' } });
      await cancel(run.id);
    }
    run = await lab.waiting(planId, starter.api);
    expect((await lab.reject(run.id, starter.api)).body.status).toBe('REJECTED');
  });

  it('is not an author of a plan revision, even as an admin', async () => {
    const editor = await lab.runward.member(lab.admin, 'operator');
    await lab.grant(editor, 'approve');
    const changed = await lab.plan([lab.leaving('approved')]);
    await editor.api.patch(`/api/plans/${changed}`, { steps: [{ key: 'a', command: 'true' }] });
    await cancel(run.id);
    run = await lab.waiting(changed);
    for (const { api } of [editor, lab.admin])
      expect(refusal(await lab.approve(run.id, api))).toEqual([403, 'self_approval']);
    expect((await lab.approve(run.id)).status).toBe(200);
  });

  it('may be requester and author where the environment allows self-approval', async () => {
    const own = await lab.plan(['true']);
    await cancel(run.id);
    run = await lab.waiting(own, lab.api);
    await lab.policy({ allowSelfApproval: true });
    // The earlier, stricter policy applies, because the run was requested under it.
    expect(refusal(await lab.approve(run.id, lab.api))).toEqual([403, 'self_approval']);
    await cancel(run.id);
    run = await lab.waiting(own, lab.api);
    expect((await lab.approve(run.id, lab.api)).body.status).toBe('PENDING');
  });

  it('loses the right when grant, role or membership ends', async () => {
    const another = await lab.runward.member(lab.admin, 'admin');
    await lab.api.patch(`/api/members/${another.userId}`, { role: 'viewer' });
    expect(refusal(await lab.approve(run.id, another.api))).toEqual([403, 'grant_required']);
    await lab.grant(another, 'approve');
    await lab.api.patch(`/api/members/${another.userId}`, { disabled: true });
    expect((await lab.approve(run.id, another.api)).status).toBe(401);
  });
});

describe('an environment that requires two approvals', () => {
  beforeEach(async () => {
    await lab.policy({ requiredApprovals: 2 });
    await cancel(run.id);
    run = await lab.waiting(planId);
  });

  it('counts each member once', async () => {
    expect((await lab.approve(run.id)).body).toMatchObject({ status: 'PAUSED', approval: { state: 'pending' } });
    const again = await lab.approve(run.id);
    expect(refusal(again)).toEqual([409, 'already_decided']);
    expect((await get(run.id, lab.approver.api)).approval).toMatchObject({
      currentUserObstacle: { code: 'already_decided' },
    });
    const { body } = await lab.approve(run.id, lab.second.api);
    expect([body.status, body.approval?.decisions.length]).toEqual(['PENDING', 2]);
    expect(await lab.trail(run.id)).toEqual([
      ...['execution.start', 'execution.approve', 'execution.approve', 'execution.pending'],
    ]);
  });

  it('releases the run once when both approvals arrive at the same moment', async () => {
    const answers = await Promise.all([lab.approve(run.id), lab.approve(run.id, lab.second.api)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await get(run.id, lab.api)).status).toBe('PENDING');
    expect((await lab.trail(run.id)).filter((action) => action === 'execution.pending')).toHaveLength(1);
  });

  it('counts a member once who approves several times at the same moment', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => lab.approve(run.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await get(run.id, lab.api)).toMatchObject({ status: 'PAUSED', approval: { decisions: [{}] } });
  });

  it('reaches exactly one status, recorded once, under random simultaneous decisions', async () => {
    const random = seededRandom(11);
    for (let round = 0; round < 12; round += 1) {
      const decisionActs = [
        () => lab.approve(run.id),
        () => lab.approve(run.id, lab.second.api),
        () => lab.reject(run.id),
        () => cancel(run.id),
        () => withdraw(run.id, lab.approver.api),
        () => lab.reject(run.id, lab.second.api),
      ];
      const chosenActs = Array.from({ length: 5 }, () => random.pick(decisionActs));
      const answers = await Promise.all(chosenActs.map((act) => act()));
      expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
      const { status } = await get(run.id, lab.api);
      const recorded = (await lab.trail(run.id)).filter((action) =>
        /\.(pending|rejected|cancelled|expired)$/.test(action),
      );
      const expected: Record<string, string[][]> = {
        PAUSED: [[]],
        PENDING: [['execution.pending']],
        REJECTED: [['execution.rejected']],
        CANCELLED: [['execution.cancelled'], ['execution.pending', 'execution.cancelled']],
      };
      expect(expected[status]).toContainEqual(recorded);
      await cancel(run.id);
      run = await lab.waiting(planId);
    }
  });

  it('does not count a withdrawn approval', async () => {
    await lab.approve(run.id);
    expect(refusal(await withdraw(run.id, lab.second.api))).toEqual([409, 'not_decided']);
    expect((await withdraw(run.id, lab.approver.api)).body.approval?.decisions).toEqual([]);
    expect(refusal(await withdraw(run.id, lab.approver.api))).toEqual([409, 'not_decided']);
    expect((await lab.approve(run.id, lab.second.api)).body.status).toBe('PAUSED');
    expect((await lab.approve(run.id)).body.status).toBe('PENDING');
    expect(await lab.trail(run.id)).toEqual([
      ...['execution.start', 'execution.approve', 'execution.withdraw_approval'],
      ...['execution.approve', 'execution.approve', 'execution.pending'],
    ]);
    expect((await lab.events(run.id)).filter((each) => each.startsWith('approval.decided'))).toEqual([
      ...['approval.decided approved', 'approval.decided withdrawn'],
      ...['approval.decided approved', 'approval.decided approved'],
    ]);
  });

  it('does not count an approval of a member who lost the right', async () => {
    await lab.approve(run.id);
    await lab.grant(lab.approver, 'run');
    expect((await lab.approve(run.id, lab.second.api)).body.status).toBe('PAUSED');
    const another = await lab.runward.member(lab.admin, 'admin');
    const grant = `/api/environments/${lab.environmentId}/grants/${lab.approver.userId}`;
    expect((await another.api.put(grant, { level: 'approve' })).status).toBe(200);
    expect((await lab.approve(run.id, another.api)).body.status).toBe('PENDING');
  });

  it('does not count a self-approval when the policy no longer allows it', async () => {
    await lab.policy({ requiredApprovals: 2, allowSelfApproval: true });
    await cancel(run.id);
    run = await lab.waiting(planId, lab.api);
    expect((await lab.approve(run.id, lab.api)).body.status).toBe('PAUSED');
    await lab.policy({ allowSelfApproval: false });
    expect((await lab.approve(run.id)).body.status).toBe('PAUSED');
    expect((await lab.approve(run.id, lab.second.api)).body.status).toBe('PENDING');
  });

  it('keeps the requested number of approvals when the policy changes while a run waits', async () => {
    await lab.policy({ requiredApprovals: 1 });
    expect((await lab.approve(run.id)).body.status).toBe('PAUSED');
    await lab.policy({ protected: false });
    expect((await get(run.id, lab.api)).status).toBe('PAUSED');
    expect((await lab.approve(run.id, lab.second.api)).body.status).toBe('PENDING');
  });
});

describe('a reviewed digest', () => {
  it('must be the digest of the run, for approval and rejection', async () => {
    const body = { comment: 'x', digest: '0'.repeat(64) };
    expect(refusal(await lab.approve(run.id, lab.approver.api, body))).toEqual([409, 'digest_changed']);
    expect(refusal(await lab.reject(run.id, lab.approver.api, body))).toEqual([409, 'digest_changed']);
    const { status, body: fault } = await lab.approve(run.id, lab.approver.api, { digest: 'abc' });
    expect([status, fault.code]).toEqual([400, 'invalid_request']);
    expect((await get(run.id, lab.api)).approval?.decisions).toEqual([]);
  });

  it('is part of the evidence of the run', async () => {
    const { status, body } = await lab.approver.api.get<{ digest: string; steps: { text: string }[] }>(
      `/api/executions/${run.id}/review`,
    );
    expect([status, body.digest]).toEqual([200, run.digest]);
    expect(body.steps.map(({ text }) => text)).toEqual([lab.leaving('approved')]);
  });
});

describe('a run that the caller cannot see', () => {
  it('answers 404 to approve, reject and withdraw', async () => {
    await lab.policy({ access: 'restricted' });
    const outsider = await lab.runward.member(lab.admin, 'operator');
    const stranger = await lab.runward.tenant();
    for (const caller of [outsider, stranger]) {
      for (const what of ['approve', 'reject', 'withdraw-approval']) {
        const body = { approve: { digest: run.digest }, reject: { comment: 'x' } }[what];
        const seen = await caller.api.post(`/api/executions/${run.id}/${what}`, body);
        const random = await caller.api.post(`/api/executions/${newId()}/${what}`, body);
        expect(seen.status).toBe(404);
        expect(comparable(seen)).toEqual(comparable(random));
      }
    }
    await lab.policy({ access: 'open' });
  });
});

describe('an approval that expired', () => {
  it('is refused at once, and the next worker ends the run as EXPIRED', async () => {
    await overdue(lab, run.id);
    expect(refusal(await lab.approve(run.id))).toEqual([409, 'not_waiting']);
    worker = await lab.runward.worker();
    const ended = await lab.ended(run.id);
    expect(ended).toMatchObject({
      status: 'EXPIRED',
      successful: false,
      statusReason: { code: 'approval_expired' },
      approval: { state: 'expired' },
    });
    expect(await lab.results(run.id)).toEqual([]);
    expect(await lab.trail(run.id)).toEqual(['execution.start', 'execution.expired']);
    run = await lab.waiting(planId);
  });

  it('ends the run even when only a worker is up', async () => {
    const alone = await startApprovalLab();
    try {
      const { id } = await alone.waiting(await alone.plan(['true']));
      const { database } = alone.runward;
      await alone.runward.app.close();
      await database.query(`update executions set pause_expires_at = now() where id = $1`, [id]);
      await alone.runward.worker();
      await eventually('the run expires', async () => {
        const [row] = await database.query<{ status: string }>('select status from executions where id = $1', [id]);
        return row?.status === 'EXPIRED';
      });
    } finally {
      await alone.close();
    }
  });
});
