import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, apiClient } from '../../../test/support/api-client.js';
import { type ApprovalLab, startApprovalLab } from '../../../test/support/approval-lab.js';
import { type CommandLine, commandLine } from '../../../test/support/command-line.js';
import { decisionsOf } from '../../../test/support/decisions.js';
import { made } from '../../../test/support/environment-scene.js';
import { eventually } from '../../../test/support/eventually.js';
import { firedSchedule } from '../../../test/support/fired-schedule.js';
import { AUDIENCE, type OidcIssuer, startIssuer, SUBJECT } from '../../../test/support/oidc-issuer.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/support/webhook-receiver.js';
import type { ExecutionView } from '../contract/execution.view.js';

interface CreatedRecord {
  id: string;
  token: string;
  api: ApiClient;
}

let lab: ApprovalLab;
let issuer: OidcIssuer;
let receiver: WebhookReceiver;
let cli: CommandLine;
let planId: string;
let protectedPlan: string;
let parallelPlan: string;
let numbered = 0;

const inTime = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const sql = <R extends object>(text: string, values: unknown[] = []) =>
  queryAs<R>(lab.runward.database, lab.admin.tenantId, text, values);

beforeAll(async () => {
  [lab, issuer, receiver] = await Promise.all([
    startApprovalLab({ hosts: 1, settings: { RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8' } }),
    startIssuer(),
    startWebhookReceiver(),
  ]);
  cli = await commandLine({ RUNWARD_URL: lab.runward.url, RUNWARD_TOKEN: lab.admin.token });
  protectedPlan = await lab.plan(['true']);
  const open = await lab.environment('open');
  await lab.server({ name: 'elsewhere', hostname: '127.0.9.9', environmentId: open });
  planId = await lab.plan(['true'], { environmentId: open });
  parallelPlan = await lab.plan(['true'], { environmentId: open, parallelSafe: true });
});
afterAll(async () => {
  await cli?.close();
  await lab?.close();
  await issuer?.close();
  await receiver?.close();
});

async function token(path = '/api/tokens', more: object = {}): Promise<CreatedRecord> {
  numbered += 1;
  const { status, body } = await lab.api.post<CreatedRecord>(path, { name: `token ${numbered}`, ...more });
  expect(status).toBe(201);
  return { ...body, api: apiClient(lab.runward.url, { token: body.token }) };
}
const account = () => {
  numbered += 1;
  return made(lab.api.post('/api/service-accounts', { name: `account ${numbered}`, role: 'operator' }));
};
async function exchanged(): Promise<{ path: string; api: ApiClient; expiresAt: string }> {
  const userId = await account();
  const subject = `${SUBJECT}/${numbered}`;
  const ruleRequest = {
    name: `rule ${numbered}`,
    issuer: issuer.url,
    audience: AUDIENCE,
    subject,
    userId,
    access: 'run',
  };
  const rule = await made(lab.api.post('/api/oidc-trust-rules', ruleRequest));
  const { status, body } = await lab.runward.anonymous.post<{ token: string; expiresAt: string }>(
    '/api/auth/oidc-exchange',
    { token: await issuer.token({ sub: subject }) },
  );
  expect(status).toBe(200);
  return { path: `/api/oidc-trust-rules/${rule}`, api: apiClient(lab.runward.url, body), expiresAt: body.expiresAt };
}
const revoke = ({ id }: CreatedRecord) => lab.api.delete(`/api/tokens/${id}`);
async function planned(api: ApiClient, more: object = {}): Promise<ExecutionView> {
  const { status, body } = await lab.tryStart(planId, { startAt: inTime(1800), ...more }, api);
  expect([status, body]).toMatchObject([201, { status: 'PENDING' }]);
  return body;
}
async function expectEndsWithToken(id: string, text: RegExp): Promise<void> {
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

/**
 * Runs the items of `work` while another transaction holds a lock. Each item starts when the previous one waits for a
 * lock.
 */
async function beside<T extends unknown[]>(lock: string, work: { [K in keyof T]: () => Promise<T[K]> }): Promise<T> {
  await sql('begin');
  await sql(lock);
  const begun: Promise<unknown>[] = [];
  for (const [index, each] of work.entries()) {
    begun.push(each());
    await eventually('it waits for a lock', async () => {
      await sql('select pg_stat_clear_snapshot()');
      const [row] = await sql<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return row?.n === index + 1;
    });
  }
  await sql('commit');
  return Promise.all(begun) as Promise<T>;
}

describe('before any worker has read the run', () => {
  it('refuses a start whose token is revoked during the request, and stores no run', async () => {
    const mine = await token();
    const before = await sql('select id from executions');
    const lock = `update api_tokens set revoked_at = now() where id = '${mine.id}'`;
    const [start] = await beside<[{ status: number }]>(lock, [
      () => lab.tryStart(planId, { startAt: inTime(1800) }, mine.api),
    ]);
    expect(start.status).toBe(401);
    expect(await sql('select id from executions')).toEqual(before);
  });

  it('a revocation waits for an earlier start and counts its run', async () => {
    const mine = await token();
    const [start, end] = await beside<[{ status: number }, { body: unknown }]>(
      'lock table audit_entries in access exclusive mode',
      [() => lab.tryStart(planId, { startAt: inTime(1800) }, mine.api), () => revoke(mine)],
    );
    expect([start.status, end.body]).toEqual([201, { endedRuns: 1 }]);
  });

  it('refuses approvals with an ended token, also after the cancellation; a rejection is accepted', async () => {
    const mine = await token();
    const [run, other] = [await lab.waiting(protectedPlan, mine.api), await lab.waiting(protectedPlan, mine.api)];
    expect((await revoke(mine)).body).toEqual({ endedRuns: 2 });
    const refused = await lab.approve(run.id);
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'token_ended' }]);
    expect(refused.body.detail).toMatch(/token that started it was revoked.* Start it again with a valid token/);
    expect((await lab.reject(other.id)).body.status).toBe('REJECTED');
    await lab.runward.worker();
    await expectEndsWithToken(run.id, /was revoked/);
    const late = await lab.approve(run.id);
    expect([late.status, late.body.code]).toEqual([409, 'not_waiting']);
    expect(late.body.detail).toMatch(
      /^The run is CANCELLED and does not wait for approval\. The API token .* was revoked/,
    );
  });

  it('is found by the sweep, but not while the installation is held', async () => {
    const mine = await token();
    const run = await planned(mine.api);
    await sql('begin');
    await sql('update api_tokens set revoked_at = now() where id = $1', [mine.id]);
    const found = () => sql('select execution_id as id from runs_of_ended_tokens(10)');
    expect(await found()).toEqual([{ id: run.id }]);
    await sql(`update installation set state = 'held', cause = 'person'`);
    expect(await found()).toEqual([]);
    await sql('rollback');
    expect((await revoke(mine)).body).toEqual({ endedRuns: 1 });
  });
});

describe('a run that has not begun', () => {
  it('ends with its token or the parent token; the revocation returns the number of ended runs', async () => {
    const parent = await token();
    const child = await parent.api.post<CreatedRecord>('/api/tokens', { name: 'child' });
    const mine = await planned(parent.api);
    const childPlanId = await planned(apiClient(lab.runward.url, child.body));
    const kept = await planned(lab.api);
    const path = `/api/tokens/${parent.id}`;
    expect((await lab.api.get(path)).body).toMatchObject({ waitingRuns: 2 });
    expect(await lab.api.delete(path)).toMatchObject({ status: 200, body: { endedRuns: 2 } });
    await expectEndsWithToken(mine.id, /was revoked/);
    await expectEndsWithToken(childPlanId.id, /was revoked/);
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
    await expectEndsWithToken(first.id, /service account .* disabled/);
    await lab.api.patch(path, { disabled: false });
    const second = await planned(api);
    expect((await lab.api.get(path)).body).toMatchObject({ waitingRuns: 1 });
    expect((await lab.api.delete(path)).body).toEqual({ endedRuns: 1 });
    await expectEndsWithToken(second.id, /was removed/);
  });

  it('ends with the trust rule of its token, and cannot be scheduled beyond the end of that token', async () => {
    const { path, api, expiresAt } = await exchanged();
    const late = await lab.tryStart(planId, { startAt: inTime(3700) }, api);
    expect(late).toMatchObject({ status: 400, body: { errors: [{ path: '/startAt', code: 'outlives_token' }] } });
    expect(late.text).toContain(expiresAt);
    const first = await planned(api);
    expect((await lab.api.patch(path, { enabled: false })).body).toMatchObject({ enabled: false, waitingRuns: 1 });
    await expectEndsWithToken(first.id, /trust rule/);
    const other = await exchanged();
    const second = await planned(other.api);
    const list = await lab.api.get<{ items: { id: string; waitingRuns: number }[] }>('/api/oidc-trust-rules');
    expect(list.body.items.find(({ id }) => other.path.endsWith(id))?.waitingRuns).toBe(1);
    expect(await lab.api.delete(other.path)).toMatchObject({ status: 200, body: { endedRuns: 1 } });
    await expectEndsWithToken(second.id, /trust rule/);
  });

  it('ends when it is approved and waits in the queue', async () => {
    const go = path.join(lab.evidence, 'go');
    const slow = await lab.plan([`until [ -e ${go} ]; do sleep 0.05; done`]);
    const holder = await lab.waiting(slow);
    await lab.approve(holder.id);
    await eventually('it runs', async () => (await lab.get(holder.id)).status === 'RUNNING');
    const mine = await token();
    const run = await lab.waiting(protectedPlan, mine.api, { onOverlap: 'queue' });
    expect((await lab.approve(run.id)).body).toMatchObject({ status: 'PENDING' });
    await eventually('it is in the queue', async () => (await lab.get(run.id)).queue?.position === 1);
    expect((await revoke(mine)).body).toEqual({ endedRuns: 1 });
    await expectEndsWithToken(run.id, /was revoked/);
    await writeFile(go, '');
    expect((await lab.ended(holder.id)).status).toBe('SUCCEEDED');
  });

  it('ends when it is a rerun; webhooks and the command line report the reason', async () => {
    const hook = { name: 'ends', url: `${receiver.url}/ends`, events: ['execution.finished'] };
    const hookId = await made(lab.api.post('/api/webhooks', hook));
    const mine = await token();
    const first = await planned(lab.api);
    await lab.api.post(`/api/executions/${first.id}/cancel`, {});
    const again = { hosts: 'all', snapshot: 'current', startAt: inTime(1800) };
    const { status, body: rerun } = await mine.api.post<ExecutionView>(`/api/executions/${first.id}/rerun`, again);
    expect([status, rerun]).toMatchObject([201, { status: 'PENDING', parentId: first.id }]);
    const waits = cli.launch(['run', 'follow', rerun.id]);
    await revoke(mine);
    await expectEndsWithToken(rerun.id, /was revoked/);
    const { code, out, err } = await waits.ended;
    expect([code, err]).toEqual([1, expect.stringMatching(/The run was cancelled\.\n$/)]);
    expect(out).toMatch(
      /^CANCELLED .*\n {2}The API token that started it was revoked, .* Nothing was run\. Start it again/,
    );
    const message = await eventually('the webhook has it', () =>
      Promise.resolve(receiver.at('/ends').find(({ data }) => data.executionId === rerun.id)),
    );
    expect(message.data).toMatchObject({ status: 'CANCELLED', reason: { code: 'token_ended' } });
    await lab.api.delete(`/api/webhooks/${hookId}`);
  });

  it('continues when its schedule was saved with the token: schedules run with the rights of their owner', async () => {
    const mine = await token();
    const far = { name: 'of a token', execution_mode: 'auto', cron: '0 0 1 1 *', timeZone: 'UTC', planId };
    const schedule = await made(mine.api.post('/api/schedules', far));
    expect((await revoke(mine)).body).toEqual({ endedRuns: 0 });
    const { executionId } = await firedSchedule(lab, schedule);
    const run = await lab.ended(executionId ?? '');
    expect(run.startedAt).not.toBeNull();
    expect(run.statusReason?.code).not.toBe('token_ended');
  });

  it('ends even if another run cannot be cancelled now', async () => {
    const mine = await token();
    const [stuckRunId, other] = [await planned(mine.api), await planned(mine.api)];
    await lab.runward.database.query(`
      create function refuse_stuck() returns trigger language plpgsql as
        $$ begin raise exception 'trouble' using errcode = 'XX000'; end $$;
      create trigger refuse_stuck before update on executions for each row
        when (new.id = '${stuckRunId.id}') execute function refuse_stuck()`);
    expect((await revoke(mine)).body).toEqual({ endedRuns: 2 });
    await expectEndsWithToken(other.id, /was revoked/);
    expect((await lab.get(stuckRunId.id)).status).toBe('PENDING');
    await lab.runward.database.query('drop trigger refuse_stuck on executions');
    await expectEndsWithToken(stuckRunId.id, /was revoked/);
  });

  it('ends when its token expires, unless it is approved; cannot be scheduled beyond that', async () => {
    const { id, api } = await token('/api/tokens', { expiresAt: inTime(7200) });
    const late = await lab.tryStart(planId, { startAt: inTime(7300) }, api);
    expect(late).toMatchObject({ status: 400, body: { errors: [{ path: '/startAt', code: 'outlives_token' }] } });
    const run = await planned(api);
    const pendingStart = await lab.tryStart(protectedPlan, {}, api);
    await sql(`update api_tokens set expires_at = now() where id = $1`, [id]);
    await expectEndsWithToken(run.id, /expired/);
    const { id: pendingId } = pendingStart.body;
    expect((await lab.get(pendingId)).status).toBe('PAUSED');
    expect((await lab.api.delete(`/api/tokens/${id}`)).body).toEqual({ endedRuns: 1 });
    await expectEndsWithToken(pendingId, /was revoked/);
  });

  it('begins when it is approved after its token expired', async () => {
    const { id, api } = await token('/api/tokens', { expiresAt: inTime(7200) });
    const pendingStart = (await lab.tryStart(protectedPlan, {}, api)).body;
    await sql(`update api_tokens set expires_at = now() where id = $1`, [id]);
    await lab.approve(pendingStart.id);
    expect((await lab.settled(pendingStart.id)).status).toBe('SUCCEEDED');
  });
});

describe('a run that has begun', () => {
  it('continues when its token is revoked', async () => {
    const mine = await token();
    const steps = [{ command: 'true' }, { type: 'gate', message: 'Go on?' } as const];
    const { id } = await lab.waiting(await lab.plan(steps), mine.api);
    await lab.approve(id);
    await lab.paused(id);
    expect((await lab.api.get(`/api/tokens/${mine.id}`)).body).toMatchObject({ waitingRuns: 0 });
    expect((await revoke(mine)).body).toEqual({ endedRuns: 0 });
    expect(await sql('select * from runs_of_ended_tokens(10)')).toEqual([]);
    await decisionsOf(() => lab.api).decided(id, 'proceed', 'step-2');
    expect((await lab.ended(id)).status).toBe('SUCCEEDED');
  });
});

describe('a start concurrent with the revocation of its token', () => {
  it.each(['planned', 'immediate'])('is refused, or its run does not begin afterwards: %s', async (kind) => {
    const before = (await sql('select id from executions')).length;
    const accepted: { id: string; begun: boolean }[] = [];
    const begun = async (id: string) => (await lab.get(id)).steps.some((step) => step.startedAt !== null);
    for (let round = 0; round < 10; round += 1) {
      const mine = await token();
      const starts = Array.from({ length: 4 }, () =>
        lab.tryStart(parallelPlan, kind === 'planned' ? { startAt: inTime(1800) } : { onOverlap: 'queue' }, mine.api),
      );
      // In every second round, the first run has time to begin.
      if (round % 2 === 1) await Promise.race(starts);
      const [{ status }, ...answers] = await Promise.all([revoke(mine), ...starts]);
      expect(status).toBe(200);
      for (const { status: answered, body, text } of answers) {
        expect([text, [201, 401]]).toEqual([text, expect.arrayContaining([answered])]);
        if (answered === 201) accepted.push({ id: body.id, begun: await begun(body.id) });
      }
    }
    for (const run of accepted.filter((each) => !each.begun)) {
      await expectEndsWithToken(run.id, /was revoked/);
      expect(await begun(run.id)).toBe(false);
    }
    expect(accepted).not.toEqual([]);
    expect((await sql('select id from executions')).length).toBe(before + accepted.length);
  });
});
