import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { type ApprovalLab, startApprovalLab } from '../../../test/support/approval-lab.js';
import { made } from '../../../test/support/environment-scene.js';
import { eventually } from '../../../test/support/eventually.js';
import { queryAs } from '../../../test/support/table-contents.js';
import type { ExecutionView } from '../contract/execution.view.js';

interface Made {
  id: string;
  token: string;
  api: ApiClient;
}

let lab: ApprovalLab;
let planId: string;
let protectedPlan: string;
let numbered = 0;

const inTime = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const sql = (text: string, values: unknown[] = []) =>
  queryAs<object>(lab.runward.database, lab.admin.tenantId, text, values);

beforeAll(async () => {
  lab = await startApprovalLab({ hosts: 1 });
  protectedPlan = await lab.plan(['true']);
  const open = await lab.environment('open');
  await lab.server({ name: 'elsewhere', hostname: '127.0.9.9', environmentId: open });
  planId = await lab.plan(['true'], { environmentId: open });
  await lab.runward.worker();
});
afterAll(() => lab.close());

async function token(path = '/api/tokens', more: object = {}): Promise<Made> {
  numbered += 1;
  const { status, body } = await lab.api.post<Made>(path, { name: `token ${numbered}`, ...more });
  expect(status).toBe(201);
  return { ...body, api: apiClient(lab.runward.url, { token: body.token }) };
}
const account = () => {
  numbered += 1;
  return made(lab.api.post('/api/service-accounts', { name: `account ${numbered}`, role: 'operator' }));
};
async function planned(api: ApiClient): Promise<ExecutionView> {
  const { status, body } = await lab.tryStart(planId, { startAt: inTime(3600) }, api);
  expect([status, body]).toMatchObject([201, { status: 'PENDING' }]);
  return body as ExecutionView;
}
async function endsWithToken(id: string, text: RegExp): Promise<void> {
  const run = await eventually(
    'the run has ended',
    async () => {
      const found = await lab.get(id);
      return found.finished && found;
    },
    30_000,
  );
  expect(run).toMatchObject({
    ...{ status: 'CANCELLED', startedAt: null, queue: null },
    statusReason: { code: 'token_ended', text: expect.stringMatching(text) },
  });
  expect((await lab.trail(id)).filter((action) => action === 'execution.cancelled')).toHaveLength(1);
}

describe('a run that has not begun', () => {
  it('ends with its token, and with the token that this one was made with; the revocation says how many do', async () => {
    const parent = await token();
    const child = await parent.api.post<Made>('/api/tokens', { name: 'child' });
    const mine = await planned(parent.api);
    const childs = await planned(apiClient(lab.runward.url, child.body));
    const kept = await planned(lab.api);
    const path = `/api/tokens/${parent.id}`;
    expect((await lab.api.get(path)).body).toMatchObject({ waitingRuns: 2 });
    expect(await lab.api.delete(path)).toMatchObject({ status: 200, body: { endedRuns: 2 } });
    await endsWithToken(mine.id, /was revoked/);
    await endsWithToken(childs.id, /was revoked/);
    expect((await lab.get(kept.id)).status).toBe('PENDING');
    expect((await lab.api.delete(path)).body).toEqual({ endedRuns: 0 });
    await lab.api.post(`/api/executions/${kept.id}/cancel`, {});
  });

  it('ends when the service account is disabled or removed', async () => {
    const id = await account();
    const { api } = await token(`/api/service-accounts/${id}/tokens`);
    const path = `/api/service-accounts/${id}`;
    const first = await planned(api);
    await lab.api.patch(path, { disabled: true });
    await endsWithToken(first.id, /service account .* disabled/);
    await lab.api.patch(path, { disabled: false });
    const second = await planned(api);
    expect((await lab.api.get(path)).body).toMatchObject({ waitingRuns: 1 });
    expect((await lab.api.delete(path)).body).toEqual({ endedRuns: 1 });
    await endsWithToken(second.id, /was removed/);
  });

  it('ends when its token expires, unless people approve it; it can not be planned past that', async () => {
    const { id, api } = await token('/api/tokens', { expiresAt: inTime(7200) });
    const late = await lab.tryStart(planId, { startAt: inTime(7300) }, api);
    expect(late).toMatchObject({ status: 400, body: { errors: [{ path: '/startAt', code: 'outlives_token' }] } });
    const run = await planned(api);
    const asked = await lab.tryStart(protectedPlan, {}, api);
    await sql(`update api_tokens set expires_at = now() where id = $1`, [id]);
    await endsWithToken(run.id, /expired/);
    const { id: askedId } = asked.body as ExecutionView;
    expect((await lab.get(askedId)).status).toBe('PAUSED');
    // Revoked, it ends that run too.
    expect((await lab.api.delete(`/api/tokens/${id}`)).body).toEqual({ endedRuns: 1 });
    await endsWithToken(askedId, /was revoked/);
  });

  it('begins when it was approved after its token had expired', async () => {
    const { id, api } = await token('/api/tokens', { expiresAt: inTime(7200) });
    const asked = (await lab.tryStart(protectedPlan, {}, api)).body as ExecutionView;
    await sql(`update api_tokens set expires_at = now() where id = $1`, [id]);
    await lab.approve(asked.id);
    expect((await lab.settled(asked.id)).status).toBe('SUCCEEDED');
  });
});
