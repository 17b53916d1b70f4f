import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ApiClient } from '../../../../test/support/api-client.js';
import { changePolicy } from '../../../../test/support/environment-policy.js';
import type { TestMember } from '../../../../test/support/installation.js';
import { pausedRun, trailOf } from '../../../../test/support/paused-run.js';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { generateKeyPair } from '../../../transport/keys/key-material.js';
import type { ExecutionView } from '../../contract/execution.view.js';

type Answered = ExecutionView & { code: string; detail: string; errors?: { path: string; code: string }[] };

let lab: RunLab;
let operator: TestMember;

const rerun = (id: string, body: object = {}, api: ApiClient = operator.api) =>
  api.post<Answered>(`/api/executions/${id}/rerun`, { hosts: 'all', snapshot: 'same', ...body });
const again = async (id: string, body: object = {}) => {
  const { status, body: run, text } = await rerun(id, body);
  if (status !== 201) throw new Error(`The run was not run again: ${text}`);
  return lab.settled(run.id);
};
const mark = (file: string, text = '') =>
  `echo ${text}$(echo $SSH_CONNECTION | cut -d' ' -f3 | cut -d. -f4) >> ${lab.evidence}/${file}`;
const lines = async (file: string) => (await lab.left(file)).split('\n').filter(Boolean).sort();
const FAILS_ON_2 = `case "$SSH_CONNECTION" in *127.0.1.2*) exit 3;; esac`;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
  operator = await lab.runward.member(lab.admin, 'operator');
  await lab.runward.worker();
});
afterEach(async () => {
  await changePolicy(lab.api, lab.environmentId, { protected: false });
  await rm(path.join(lab.evidence, 'one'), { force: true });
  await rm(path.join(lab.evidence, 'two'), { force: true });
});
afterAll(() => lab.close());

describe('a rerun of a finished run', () => {
  it('is a new run that names its parent, on all of its hosts', async () => {
    const before = await lab.run([mark('one')], { start: { targets: 'name in (web-1, web-2)', note: 'first' } });
    const { status, headers, body } = await rerun(before.id, { note: 'once more' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/executions/${body.id}`);
    expect(body).toMatchObject({ parentId: before.id, note: 'once more', digest: before.digest, hostCount: 2 });
    expect(body.startedBy.id).toBe(operator.userId);
    expect((await lab.settled(body.id)).status).toBe('SUCCEEDED');
    expect(await lines('one')).toEqual(['1', '1', '2', '2']);
    expect((await lab.get(before.id)).version).toBe(before.version);
    expect(await trailOf(lab, body.id)).toEqual(['execution.start', 'execution.running', 'execution.succeeded']);
  });

  it('runs only on hosts that did not succeed when requested', async () => {
    const before = await lab.run([mark('one'), FAILS_ON_2, mark('two')]);
    expect(before.hosts.map(({ status }) => status)).toEqual(['SUCCEEDED', 'FAILED', 'SUCCEEDED']);
    const run = await again(before.id, { hosts: 'failed' });
    expect(run.hosts.map(({ name }) => name)).toEqual(['web-2']);
    expect(run.digest).not.toBe(before.digest);
    expect(await lines('one')).toEqual(['1', '2', '2', '3']);
  });

  it('begins at a step, and says why earlier steps were skipped', async () => {
    const before = await lab.run([mark('one'), mark('two')]);
    const run = await again(before.id, { fromStepKey: 'step-2' });
    // The digest differs, because an approval also covers which steps are omitted.
    expect(run.digest).not.toBe(before.digest);
    expect(run.steps).toMatchObject([{ status: 'SKIPPED', reason: { code: 'before_start' } }, { status: 'SUCCEEDED' }]);
    expect([(await lines('one')).length, (await lines('two')).length]).toEqual([3, 6]);
  });

  it('runs in the mode of its parent or in another mode', async () => {
    const before = await lab.run(['true']);
    const { body } = await rerun(before.id, { execution_mode: 'interactive' });
    await pausedRun(lab, body.id);
    await lab.api.post(`/api/executions/${body.id}/cancel`);
    const next = await rerun(body.id);
    expect(next.body.execution_mode).toBe('interactive');
    await lab.api.post(`/api/executions/${next.body.id}/cancel`);
  });

  it('acquires its guard keys like any other run', async () => {
    const before = await lab.run(['true']);
    const { body } = await rerun(before.id, { execution_mode: 'interactive' });
    const overlap = await rerun(before.id);
    expect([overlap.status, overlap.body.code]).toEqual([409, 'run_overlap']);
    await lab.api.post(`/api/executions/${body.id}/cancel`);
  });
});

describe('a choice between frozen and current content', () => {
  const VARIABLES = [{ name: 'RELEASE', type: 'string', required: true } as const];

  it('decides what runs when the plan was edited in between', async () => {
    const planId = await lab.plan([mark('one', 'old-{{ RELEASE }}-')], { variables: VARIABLES, targets: 'name=web-1' });
    const { id } = await lab.start(planId, { variables: { RELEASE: 'v7' } });
    const before = await lab.settled(id);
    await lab.api.patch(`/api/plans/${planId}`, {
      steps: [{ key: 'step-1', command: mark('one', 'new-{{ RELEASE }}-') }],
    });
    expect(await again(before.id)).toMatchObject({ planRevision: 1, digest: before.digest });
    expect(await again(before.id, { snapshot: 'current' })).toMatchObject({ planRevision: 2, parentId: before.id });
    expect(await lines('one')).toEqual(['new-v7-1', 'old-v7-1', 'old-v7-1']);
  });

  it('decides the hosts and addresses', async () => {
    const environmentId = await lab.environment('moving');
    const { id: server } = await lab.server({ environmentId, hostname: '127.0.1.1', tags: { role: 'moves' } });
    const before = await lab.run([mark('one')], { environmentId, targets: 'role=moves' });
    await lab.api.patch(`/api/inventory/servers/${server}`, { tags: { role: 'moved' } });
    await again(before.id);
    const current = await rerun(before.id, { snapshot: 'current' });
    expect([current.status, current.body.code]).toEqual([409, 'no_targets']);
    expect(await lines('one')).toEqual(['1', '1']);
  });

  it('keeps the values of the start, including secrets, and reads all other values again', async () => {
    const environmentId = await lab.environment('secretive');
    const variables = `/api/environments/${environmentId}/variables`;
    await lab.server({ environmentId, hostname: '127.0.1.1' });
    await lab.api.put(`${variables}/KEPT`, { value: 'kept1', secret: true });
    const planId = await lab.plan([mark('one', '"$GIVEN-$KEPT-"')], {
      environmentId,
      variables: [{ name: 'GIVEN', type: 'secret', required: true }],
    });
    const before = await lab.settled((await lab.start(planId, { variables: { GIVEN: 'given1' } })).id);
    await lab.api.put(`${variables}/KEPT`, { value: 'kept2', secret: true });
    await again(before.id);
    await again(before.id, { snapshot: 'current' });
    expect(await lines('one')).toEqual(['given1-kept1-1', 'given1-kept1-1', 'given1-kept2-1']);
    const child = await rerun(before.id, { execution_mode: 'interactive' });
    expect(child.body.variables).toEqual({ GIVEN: '‹secret GIVEN›', KEPT: '‹secret KEPT›' });
    expect(child.text).not.toMatch(/given1|kept1/);
    expect([before, child.body].map(({ variableSources }) => variableSources)).toEqual([
      { GIVEN: 'start', KEPT: 'environment' },
      { GIVEN: 'rerun', KEPT: 'environment' },
    ]);
    await lab.api.post(`/api/executions/${child.body.id}/cancel`);
  });

  it('keeps a value secret that was given as a secret, even when the plan now declares it plain', async () => {
    const secret = [{ name: 'GIVEN', type: 'secret' as const, required: true }];
    const planId = await lab.plan(['echo "$GIVEN"'], { targets: 'name=web-1', variables: secret });
    const before = await lab.settled((await lab.start(planId, { variables: { GIVEN: 'canary-4711' } })).id);
    const plain = [{ name: 'GIVEN', type: 'string' }];
    const edited = await operator.api.patch(`/api/plans/${planId}`, {
      variables: plain,
      steps: [{ key: 'step-1', command: 'echo {{ GIVEN }}' }],
    });
    expect(edited.status).toBe(200);
    const run = await again(before.id, { snapshot: 'current' });
    expect(run.variables).toEqual({ GIVEN: '‹secret GIVEN›' });
    expect(await lab.text(run.id, lab.servers[0]?.id ?? '')).toBe('‹secret GIVEN›\n');
  });
});

describe('in a protected environment', () => {
  it('requires approval again', async () => {
    const before = await lab.run([mark('one')]);
    await lab.api.patch(`/api/environments/${lab.environmentId}`, { protected: true, confirmHosts: true });
    const approver = await lab.runward.member(lab.admin, 'admin');
    for (const snapshot of ['same', 'current']) {
      const { body } = await rerun(before.id, { snapshot });
      expect(body).toMatchObject({ status: 'PAUSED', pause: { reason: 'APPROVAL' }, parentId: before.id });
      expect(body.approval?.requestedBy.id).toBe(operator.userId);
      const { status } = await approver.api.post(`/api/executions/${body.id}/approve`, { digest: body.digest });
      expect(status).toBe(200);
      expect((await lab.settled(body.id)).status).toBe('SUCCEEDED');
    }
    expect(await lines('one')).toHaveLength(9);
  });
});

describe('a rerun is refused', () => {
  it('for a run that is not over, and for failed hosts when none failed', async () => {
    const { id } = await lab.start(await lab.plan(['true']), { execution_mode: 'interactive' });
    expect((await rerun(id)).body.code).toBe('not_finished');
    await pausedRun(lab, id);
    expect((await rerun(id)).body.code).toBe('not_finished');
    await lab.api.post(`/api/executions/${id}/cancel`);
    const good = await lab.run(['true']);
    const none = await rerun(good.id, { hosts: 'failed' });
    expect([none.status, none.body.code]).toEqual([409, 'no_failed_hosts']);
  });

  it('with the invalid field, and nothing starts', async () => {
    const { id } = await lab.run(['true']);
    const count = async () => (await lab.api.get<{ items: unknown[] }>('/api/executions?limit=200')).body.items.length;
    const before = await count();
    for (const [body, field] of [
      [{ fromStepKey: 'step-9' }, '/fromStepKey'],
      [{ hosts: 'some' }, '/hosts'],
      [{ snapshot: 'old' }, '/snapshot'],
      [{ execution_mode: 'fast' }, '/execution_mode'],
      [{ hosts: undefined }, '/hosts'],
    ] as const) {
      const answer = await rerun(id, body);
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, field]);
    }
    expect(await count()).toBe(before);
  });

  it('for frozen data of a server that was disabled, moved or deleted since', async () => {
    const environmentId = await lab.environment('left');
    const leavingServer = { name: 'leaver', environmentId, hostname: '127.0.1.1', tags: { role: 'leaves' } };
    const { id: server } = await lab.server(leavingServer);
    const elsewhere = await lab.environment('walled');
    await lab.api.patch(`/api/environments/${elsewhere}`, { access: 'restricted' });
    const change = (fields: object) => lab.api.patch(`/api/inventory/servers/${server}`, fields);
    const before = await lab.run([mark('one')], { environmentId, targets: 'role=leaves' });
    const refused = async () => {
      const answer = await rerun(before.id);
      expect([answer.status, answer.body.code]).toEqual([409, 'hosts_gone']);
      expect(answer.body.detail).toContain('"leaver"');
    };
    await change({ enabled: false });
    await refused();
    // The requester can't even see the environment that the server is in now.
    await change({ enabled: true, environmentId: elsewhere });
    await refused();
    await lab.api.delete(`/api/inventory/servers/${server}`);
    await refused();
    expect(await lines('one')).toEqual(['1']);
  });

  it('for frozen data of a server whose connection changed since: it names the difference, and sends nothing', async () => {
    const environmentId = await lab.environment('changed');
    const changingServer = { name: 'changer', environmentId, hostname: '127.0.1.1', tags: { role: 'changes' } };
    const { id: server } = await lab.server(changingServer);
    const where = `/api/inventory/servers/${server}`;
    const change = async (fields: object) => expect((await lab.api.patch(where, fields)).status).toBe(200);
    const before = await lab.run([mark('one')], { environmentId, targets: 'role=changes' });
    const refused = async (...expectedWords: string[]) => {
      const answer = await rerun(before.id);
      expect([answer.status, answer.body.code]).toEqual([409, 'hosts_changed']);
      for (const words of ['"changer"', 'snapshot: current', ...expectedWords])
        expect(answer.body.detail).toContain(words);
    };
    const { port, user, hostKey } = lab.hosts.sshd;
    await change({ username: 'somebody' });
    await refused(`login user ${user}, now somebody`);
    await change({ username: user, hostname: '127.0.1.2' });
    await refused(`address 127.0.1.1:${port}, now 127.0.1.2:${port}`);
    // Pinning another key means that the previous key is no longer trusted.
    const other = await generateKeyPair({ type: 'ed25519', comment: 'other' });
    const [type, publicKey] = other.publicKey.split(' ');
    await lab.runward.database.query('update servers set host_key = $2, hostname = $3 where id = $1', [
      server,
      { type, publicKey, fingerprint: 'SHA256:other' },
      '127.0.1.1',
    ]);
    await refused(`host key ${hostKey.fingerprint}, now SHA256:other`);
    expect(await lines('one')).toEqual(['1']);
    // Also renames the server: the name does not affect the connection.
    await lab.runward.database.query('update servers set host_key = $2, name = $3 where id = $1', [
      server,
      hostKey,
      'renamed',
    ]);
    await again(before.id);
    expect(await lines('one')).toEqual(['1', '1']);
  });

  it('for a plan that the caller may not run', async () => {
    const { id } = await lab.run(['true']);
    const environment = `/api/environments/${lab.environmentId}`;
    await lab.api.patch(environment, { access: 'restricted' });
    expect((await rerun(id)).status).toBe(404);
    await lab.api.put(`${environment}/grants/${operator.userId}`, { level: 'view' });
    for (const snapshot of ['same', 'current'])
      expect((await rerun(id, { snapshot })).body.code).toBe('grant_required');
    await lab.api.patch(environment, { access: 'open' });
  });
});
