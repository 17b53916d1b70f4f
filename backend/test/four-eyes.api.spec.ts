import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import type { ScheduleView } from '../src/schedules/schedules.view.js';
import { type ApiClient, apiClient } from './support/api-client.js';
import { type ApprovalLab, startApprovalLab } from './support/approval-lab.js';
import { made } from './support/environment-scene.js';
import { firedSchedule } from './support/fired-schedule.js';
import type { TestMember } from './support/installation.js';
import { AUDIENCE, type OidcIssuer, startIssuer, SUBJECT } from './support/oidc-issuer.js';
import { queryAs } from './support/table-contents.js';

/*
 * Tests that the requester of a run cannot approve it. A service account is not a second person: everyone who saw its
 * token could have sent the request.
 */
let lab: ApprovalLab;
let issuer: OidcIssuer;
/** Member who wrote no plan, but creates tokens of service accounts. */
let keeper: TestMember;
let other: TestMember;
let accountId: string;
let planId: string;
let numbered = 0;

beforeAll(async () => {
  issuer = await startIssuer();
  lab = await startApprovalLab({ settings: { RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8' } });
  await lab.runward.worker();
  keeper = await lab.runward.member(lab.admin, 'admin');
  other = await lab.runward.member(lab.admin, 'admin');
  accountId = await made(keeper.api.post('/api/service-accounts', { name: 'deployer', role: 'operator' }));
  planId = await lab.plan(['true']);
});
afterAll(async () => {
  await lab.close();
  await issuer.close();
});

interface Token {
  id: string;
  token: string;
  api: ApiClient;
}
async function tokenOf(path: string, by: ApiClient): Promise<Token> {
  numbered += 1;
  const answer = await by.post<{ id: string; token: string }>(path, { name: `token ${numbered}` });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return { ...answer.body, api: apiClient(lab.runward.url, answer.body) };
}
/**
 * Creates a token of the service account.
 * @param by member who sees the token
 */
const accountToken = (by: ApiClient = keeper.api) => tokenOf(`/api/service-accounts/${accountId}/tokens`, by);

/**
 * Asserts in all responses whether the member may approve.
 * @param text reason of the refusal; null = may approve
 */
async function expectStanding(id: string, { api }: TestMember, text: string | null): Promise<void> {
  const { approval } = (await api.get<ExecutionView>(`/api/executions/${id}`)).body;
  expect([approval?.currentUserCanDecide, approval?.currentUserObstacle]).toEqual(
    text === null
      ? [true, null]
      : [false, { code: 'self_approval', text: `${text}, so another member must approve it.` }],
  );
  const { items } = (await api.get<{ items: ExecutionView[] }>('/api/executions?awaiting=me')).body;
  expect(items.some((run) => run.id === id)).toBe(text === null);
  if (text === null) return;
  const { status, body } = await lab.approve(id, api);
  expect([status, body.code, body.detail]).toEqual([403, 'self_approval', approval?.currentUserObstacle?.text]);
}
const cancel = async (id: string) => {
  await lab.api.post(`/api/executions/${id}/cancel`);
  await lab.ended(id);
};
const BY_TOKEN = 'You created the token that started this run';

describe('a run that was started with a token', () => {
  it('cannot be approved by the member who saw the token, even after it expired', async () => {
    const token = await accountToken();
    const { id } = await lab.waiting(planId, token.api);
    await expectStanding(id, keeper, BY_TOKEN);
    const { database } = lab.runward;
    await queryAs(database, lab.admin.tenantId, 'update api_tokens set expires_at = now() where id = $1', [token.id]);
    await expectStanding(id, keeper, BY_TOKEN);
    await expectStanding(id, other, null);
    expect((await lab.approve(id, other.api)).status).toBe(200);
    expect(await lab.ended(id)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('cannot be approved by the member who saw its parent token', async () => {
    const second = await tokenOf('/api/tokens', (await accountToken()).api);
    const third = await tokenOf('/api/tokens', second.api);
    const { id } = await lab.waiting(planId, third.api);
    await expectStanding(id, keeper, BY_TOKEN);
    await cancel(id);
  });

  it('cannot be approved by an admin who created the token with another token', async () => {
    const own = await tokenOf('/api/tokens', keeper.api);
    const { id } = await lab.waiting(planId, (await accountToken(own.api)).api);
    await expectStanding(id, keeper, BY_TOKEN);
    await expectStanding(id, other, null);
    await cancel(id);
  });

  it('cannot be approved by them as a rerun', async () => {
    const { id } = await lab.waiting(planId, (await accountToken()).api);
    await cancel(id);
    const { api } = await accountToken();
    const again = await api.post<ExecutionView>(`/api/executions/${id}/rerun`, { hosts: 'all', snapshot: 'same' });
    expect(again.status).toBe(201);
    await expectStanding(again.body.id, keeper, BY_TOKEN);
    await cancel(again.body.id);
  });

  it('cannot be approved by them in a later round, when a secret has changed', async () => {
    const path = `/api/environments/${lab.environmentId}/variables/PASS`;
    await lab.api.put(path, { value: 'correct-horse-1', secret: true });
    const { id } = await lab.waiting(await lab.plan(['echo "$PASS" > /dev/null']), (await accountToken()).api);
    expect((await lab.api.put(path, { value: 'correct-horse-2', secret: true })).status).toBe(200);
    expect((await lab.approve(id, other.api)).body.code).toBe('digest_changed');
    await expectStanding(id, keeper, BY_TOKEN);
    await expectStanding(id, other, null);
    await cancel(id);
  });

  it('can be approved by them if the environment allows self-approval', async () => {
    await lab.policy({ allowSelfApproval: true });
    const { id } = await lab.waiting(planId, (await accountToken()).api);
    await expectStanding(id, keeper, null);
    await cancel(id);
    await lab.policy({ allowSelfApproval: false });
  });

  it('from an identity provider can be approved by the author of the trust rule: only the job has the token', async () => {
    const rule = { issuer: issuer.url, audience: AUDIENCE, subject: SUBJECT, userId: accountId };
    await made(keeper.api.post('/api/oidc-trust-rules', { name: 'main branch', ...rule }));
    const token = await issuer.token();
    const exchanged = await lab.runward.anonymous.post<{ token: string }>('/api/auth/oidc-exchange', { token });
    const { id } = await lab.waiting(planId, apiClient(lab.runward.url, exchanged.body));
    await expectStanding(id, keeper, null);
    await cancel(id);
  });
});

describe('a run that a schedule started', () => {
  const FAR = { execution_mode: 'auto', cron: '0 0 1 1 *', timeZone: 'UTC' };
  const create = async (api: ApiClient) => {
    numbered += 1;
    const answer = await api.post<ScheduleView>('/api/schedules', { ...FAR, name: `schedule ${numbered}`, planId });
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return answer.body;
  };
  const started = async ({ id }: ScheduleView) => (await firedSchedule(lab, id)).executionId ?? '';

  it('cannot be approved by the member who saw the token with which the schedule was saved', async () => {
    const token = await accountToken();
    const schedule = await create(token.api);
    expect(schedule.owner?.id).toBe(accountId);
    const text = `You created the token that saved the schedule "${schedule.name}"`;
    const first = await started(schedule);
    await expectStanding(first, keeper, text);
    expect((await lab.approve(first, other.api)).status).toBe(200);
    await lab.ended(first);
    // The deletion of the token changes nothing: its creator still counts as a requester.
    await keeper.api.delete(`/api/tokens/${token.id}`);
    const second = await started(schedule);
    await expectStanding(second, keeper, text);
    await cancel(second);
  });

  it('cannot be approved by the author of a schedule that another member took over, until it has run approved', async () => {
    const schedule = await create(keeper.api);
    expect((await other.api.post(`/api/schedules/${schedule.id}/take-over`)).status).toBe(200);
    const first = await started(schedule);
    await expectStanding(first, keeper, `You saved the content or times of the schedule "${schedule.name}"`);
    await expectStanding(first, other, 'You started this run');
    expect((await lab.approve(first)).status).toBe(200);
    await lab.ended(first);
    const second = await started(schedule);
    await expectStanding(second, keeper, null);
    await cancel(second);
    // Renaming and disabling a schedule do not change what it runs.
    for (const aside of [{ name: `${schedule.name}!` }, { enabled: false }])
      expect((await keeper.api.patch(`/api/schedules/${schedule.id}`, aside)).status).toBe(200);
    expect((await other.api.patch(`/api/schedules/${schedule.id}`, { enabled: true })).status).toBe(200);
    const third = await started(schedule);
    await expectStanding(third, keeper, null);
    await cancel(third);
    expect((await keeper.api.patch(`/api/schedules/${schedule.id}`, { targets: 'role=web' })).status).toBe(200);
    expect((await other.api.post(`/api/schedules/${schedule.id}/take-over`)).status).toBe(200);
    const fourth = await started(schedule);
    await expectStanding(fourth, keeper, `You saved the content or times of the schedule "${schedule.name}!"`);
    await cancel(fourth);
  });
});
