import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { leastGap } from '../../../test/support/longest-gap.js';
import { withLockedRows } from '../../../test/support/row-lock.js';
import { newId } from '../../common/ids.js';
import type { PlanRevisionListView, PlanRevisionView, PlanView } from '../plans.view.js';
import type { PlanRevisionDiffView } from './plan-revisions.view.js';

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let viewer: TestMember;
let operatorName: string;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  viewer = await runward.member(admin, 'viewer');
  operatorName = (await operator.api.get<{ name: string }>('/api/auth/me')).body.name;
});
afterAll(() => runward.close());

interface Refusal {
  code: string;
  errors?: { path: string; code: string }[];
}

let numbered = 0;
const STEP = { key: 'one', command: 'echo one' };

async function create(fields: object = {}): Promise<PlanView> {
  numbered += 1;
  const answer = await operator.api.post<PlanView>('/api/plans', {
    ...{ name: `plan-${numbered}`, steps: [STEP] },
    ...fields,
  });
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.body;
}
const save = async (id: string, fields: object): Promise<PlanView> => {
  const answer = await operator.api.patch<PlanView>(`/api/plans/${id}`, fields);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body;
};
const messages = async (id: string) =>
  (await viewer.api.get<PlanRevisionListView>(`/api/plans/${id}/revisions`)).body.items.map(
    ({ number, message, createdBy }) => ({ number, message, createdBy }),
  );
const diff = (id: string, way: string, by = viewer) =>
  by.api.get<PlanRevisionDiffView & Refusal>(`/api/plans/${id}/revisions/${way}`);
const restore = (id: string, body: object, headers = {}) =>
  operator.api.post<PlanView & Refusal>(`/api/plans/${id}/restore`, body, headers);

describe('message of a save', () => {
  it('is stored with the revision and shown with its author', async () => {
    const { id } = await create({ message: '  First try\nof two  ' });
    await save(id, { description: 'more', message: 'Said what it is' });
    await save(id, { steps: [{ key: 'one', command: 'echo two' }] });
    expect(await messages(id)).toEqual([
      { number: 3, message: null, createdBy: { id: operator.userId, name: operatorName } },
      { number: 2, message: 'Said what it is', createdBy: { id: operator.userId, name: operatorName } },
      { number: 1, message: 'First try\nof two', createdBy: { id: operator.userId, name: operatorName } },
    ]);
    const first = await viewer.api.get<PlanRevisionView>(`/api/plans/${id}/revisions/1`);
    expect(first.body).toMatchObject({ number: 1, message: 'First try\nof two' });
  });

  it.each([[null], [''], [' \n\t ']])('is null if blank: %j', async (message) => {
    const { id } = await create({ message });
    expect(await messages(id)).toMatchObject([{ message: null }]);
  });

  it('has at most 500 characters', async () => {
    const { id } = await create({ message: 'é'.repeat(500) });
    const refused = await operator.api.patch<Refusal>(`/api/plans/${id}`, { message: 'é'.repeat(501) });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ path: '/message' }]]);
    // Each of these characters has a variation selector that does not count.
    await save(id, { message: '\u{1f600}\ufe0f'.repeat(500) });
  });

  it('creates no revision for a move, and is not part of the plan', async () => {
    const collection = await admin.api.post<{ id: string }>('/api/collections', { name: 'elsewhere' });
    const { id } = await create({ message: 'Made' });
    expect(await save(id, { collectionId: collection.body.id, message: 'Tidied up' })).toMatchObject({ revision: 1 });
    expect(await messages(id)).toMatchObject([{ number: 1, message: 'Made' }]);
    const { text } = await viewer.api.get(`/api/plans/${id}/export`);
    expect(text).not.toContain('Made');
    const content = 'name: by text\nmessage: no field of a plan\nsteps: [{key: a, command: "true"}]\n';
    const refused = await operator.api.post<Refusal>('/api/plans/import', { content });
    expect([refused.status, refused.body.errors]).toMatchObject([400, [{ code: 'unknown_field' }]]);
    const imported = await operator.api.post<{ plans: { planId: string }[] }>('/api/plans/import', {
      content: content.replace(/message.*\n/, ''),
      message: 'From the old server',
    });
    const planId = imported.body.plans[0]?.planId ?? '';
    expect(await messages(planId)).toMatchObject([{ number: 1, message: 'From the old server' }]);
    const changed = { content: 'name: by text\nsteps: [{key: a, command: "false"}]\n', message: 'Turned around' };
    await operator.api.post('/api/plans/import', changed);
    await operator.api.post('/api/plans/import', { ...changed, message: 'Nothing new' });
    expect((await messages(planId)).map(({ message }) => message)).toEqual(['Turned around', 'From the old server']);
  });
});

describe('difference of two revisions', () => {
  it('contains lines of YAML, and the changed steps, variables and fields', async () => {
    const variables = [{ name: 'RELEASE', type: 'string' }];
    const steps = ['a', 'b', 'c'].map((key) => ({ key, command: `echo ${key}` }));
    const { id } = await create({ variables, steps, message: 'Made' });
    await save(id, {
      variables: [{ name: 'VERSION', type: 'string' }],
      steps: [{ key: 'd', command: 'echo d' }, steps[1], { ...steps[0], command: 'echo A', when: 'host.name == "x"' }],
      onFailure: 'continue',
      message: 'Changed',
    });
    const { status, body } = await diff(id, '2/diff');
    expect(status).toBe(200);
    expect(body.from).toMatchObject({
      number: 1,
      message: 'Made',
      createdBy: { id: operator.userId, name: operatorName },
    });
    expect(body.to).toMatchObject({ number: 2, message: 'Changed' });
    expect(body.changes).toEqual([
      { kind: 'plan', part: null, change: 'changed', fields: ['onFailure'] },
      { kind: 'variable', part: 'RELEASE', change: 'removed', fields: [] },
      { kind: 'variable', part: 'VERSION', change: 'added', fields: [] },
      { kind: 'step', part: 'c', change: 'removed', fields: [] },
      { kind: 'step', part: 'd', change: 'added', fields: [] },
      { kind: 'step', part: 'b', change: 'moved', fields: ['position'] },
      { kind: 'step', part: 'a', change: 'changed', fields: ['position', 'command', 'when'] },
    ]);
    expect(body.text).toMatch(/^--- revision 1\n\+\+\+ revision 2\n@@ /);
    expect(body.text).toContain('\n+onFailure: continue\n');
    expect(body.text).toContain('\n-  - name: RELEASE\n+  - name: VERSION\n');
    expect(body.moreLines).toBe(0);
  });

  it('compares with the previous, an earlier, a later or the same revision', async () => {
    const { id } = await create();
    await save(id, { steps: [{ key: 'one', command: 'echo two' }] });
    await save(id, { steps: [{ key: 'one', command: 'echo three' }] });
    const lines = async (way: string) => {
      const { body } = await diff(id, way);
      return [body.from?.number, body.to.number, ...(body.text?.match(/^[-+] .*echo \w+/gm) ?? [])];
    };
    expect(await lines('3/diff')).toEqual([2, 3, '-    command: echo two', '+    command: echo three']);
    expect(await lines('3/diff?against=1')).toEqual([1, 3, '-    command: echo one', '+    command: echo three']);
    expect(await lines('1/diff?against=3')).toEqual([3, 1, '-    command: echo three', '+    command: echo one']);
    expect(await lines('2/diff?against=2')).toEqual([2, 2]);
    expect((await diff(id, '2/diff?against=2')).body.changes).toEqual([]);
    const first = (await diff(id, '1/diff')).body;
    expect(first).toMatchObject({ from: null, to: { number: 1 } });
    expect(first.text).toContain('+++ revision 1\n');
    expect(first.text).not.toMatch(/^ |^-[^-]/m);
    expect(first.changes).toContainEqual({ kind: 'step', part: 'one', change: 'added', fields: [] });
  });

  it('rejects invalid numbers, and returns 404 for unknown revisions', async () => {
    const { id } = await create();
    for (const against of ['0', '-1', 'x', '1.5', '1000000000', '', '1&against=1'])
      expect([against, (await diff(id, `1/diff?against=${against}`)).status]).toEqual([against, 400]);
    for (const way of ['1/diff?against=2', '2/diff', '0/diff', 'x/diff', '01/diff'])
      expect([way, (await diff(id, way)).status]).toEqual([way, 404]);
    expect((await diff(newId(), '1/diff')).status).toBe(404);
  });

  it('contains comments only if both revisions were saved as text', async () => {
    const write = async (content: string, planId?: string) => {
      const { body } = await operator.api.post<{ plans: { planId: string }[] }>('/api/plans/import', {
        ...{ content, planId },
      });
      return body.plans[0]?.planId ?? '';
    };
    const { id } = await create({ name: 'written' });
    const text = 'name: written\nsteps:\n  - command: "echo one"\n    key: one\n';
    await write(`# Of the web team\n${text}`, id);
    await write(`# Of the shop team\n${text}`, id);
    expect((await diff(id, '3/diff')).body).toMatchObject({
      changes: [],
      text: expect.stringContaining('-# Of the web team\n+# Of the shop team\n'),
    });
    expect((await diff(id, '2/diff')).body.text).not.toContain('#');
    expect((await diff(id, '2/diff')).body.changes).toEqual([]);
  });

  it('of the largest plans does not block other requests, and is truncated', async () => {
    const largest = (letter: string) => ({
      steps: Array.from({ length: 100 }, (_, index) => ({
        key: `s${index}`,
        command: `${letter} ${index}\n`.repeat(1900).slice(0, 8_000),
      })),
    });
    const { id } = await create(largest('a'));
    await save(id, largest('b'));
    await diff(id, '1/diff?against=1');
    const { gap, result } = await leastGap(() => diff(id, '2/diff'));
    expect(result.body.text === null || result.body.text.length <= 1_048_576).toBe(true);
    expect(result.body.changes).toHaveLength(100);
    expect(gap).toBeLessThan(50);
  });

  it('is visible only to members who can see the plan', async () => {
    const hidden = await admin.api.post<{ id: string }>('/api/environments', { name: 'hidden', access: 'restricted' });
    const made = await admin.api.post<PlanView>('/api/plans', {
      ...{ name: 'hidden', environmentId: hidden.body.id, steps: [STEP] },
    });
    expect((await diff(made.body.id, '1/diff', admin)).status).toBe(200);
    expect((await diff(made.body.id, '1/diff', viewer)).status).toBe(404);
    expect((await restore(made.body.id, { revision: 1 })).status).toBe(404);
  });
});

describe('restoring a revision', () => {
  it('creates a new revision with the earlier content, by the caller', async () => {
    const made = await create({ steps: [STEP], targets: 'role=web', locks: ['db'] });
    const { id } = made;
    await admin.api.patch(`/api/plans/${id}`, { name: `${made.name} renamed`, targets: '', locks: [] });
    const steps = [{ key: 'two', command: 'echo two' }];
    await admin.api.patch(`/api/plans/${id}`, { steps });
    const { status, body } = await restore(id, { revision: 1 });
    expect(status).toBe(200);
    const { targets, variables, steps: old, locks, ...rest } = made;
    expect(body).toMatchObject({ targets, variables, steps: old, locks });
    expect(body).toMatchObject({ name: `${rest.name} renamed`, revision: 4, version: 4 });
    expect((await messages(id))[0]).toEqual({
      number: 4,
      message: 'Restored revision 1',
      createdBy: { id: operator.userId, name: operatorName },
    });
    expect((await diff(id, '4/diff?against=1')).body).toMatchObject({ changes: [] });
    const why = await restore(id, { revision: 3, message: ' Two was better\n' });
    expect(why.body).toMatchObject({ revision: 5, steps: [{ key: 'two' }] });
    expect((await messages(id))[0]).toMatchObject({ number: 5, message: 'Two was better' });
    const audit = await admin.api.get<{ items: { action: string; actorName: string; after: { revision: number } }[] }>(
      `/api/audit-logs?resourceId=${id}&action=plan.restore`,
    );
    expect(audit.body.items.map(({ after }) => after.revision)).toEqual([5, 4]);
  });

  it('restores the text with its comments', async () => {
    const write = (content: string) => operator.api.post('/api/plans/import', { content });
    await write('# The old way\nname: commented\nsteps:\n  - { key: a, command: "true" }\n');
    const { body } = await viewer.api.get<{ items: PlanView[] }>('/api/plans?name=commented');
    const id = body.items[0]?.id ?? '';
    await write('# The new way\nname: commented\nsteps:\n  - { key: b, command: "true" }\n');
    const old = await viewer.api.get(`/api/plans/${id}/export?revision=1`);
    expect((await restore(id, { revision: 1 })).status).toBe(200);
    const now = await viewer.api.get(`/api/plans/${id}/export`);
    expect(now.text).toBe(old.text);
    expect(now.text).toContain('# The old way');
  });

  it('reports deleted references like a save, and changes nothing', async () => {
    const script = await operator.api.post<{ id: string }>('/api/scripts', { name: 'gone', content: 'true' });
    const called = await create();
    const { id } = await create({
      steps: [STEP, { key: 'two', type: 'script', scriptId: script.body.id }],
    });
    await save(id, { steps: [{ key: 'calls', type: 'plan', planId: called.id }] });
    await save(id, { steps: [STEP] });
    expect((await operator.api.delete(`/api/scripts/${script.body.id}`)).status).toBe(204);
    expect((await operator.api.delete(`/api/plans/${called.id}`)).status).toBe(204);
    const asRestored = await restore(id, { revision: 1 });
    expect([asRestored.status, asRestored.body.errors]).toMatchObject([404, [{ path: '/steps/1/scriptId' }]]);
    const call = await restore(id, { revision: 2 });
    expect([call.status, call.body.errors]).toMatchObject([404, [{ path: '/steps/0/planId' }]]);
    expect((await viewer.api.get(`/api/plans/${id}`)).body).toMatchObject({ revision: 3, version: 3 });
  });

  it('returns 404 for unknown revisions, and rejects invalid numbers', async () => {
    const { id } = await create();
    const missing = await restore(id, { revision: 2 });
    expect([missing.status, missing.body.errors]).toMatchObject([404, [{ path: '/revision', code: 'not_found' }]]);
    for (const revision of [0, -1, 1.5, '1', null, undefined, 1_000_000_000])
      expect([revision, (await restore(id, { revision })).status]).toEqual([revision, 400]);
    expect((await viewer.api.post(`/api/plans/${id}/restore`, { revision: 1 })).status).toBe(403);
  });

  it('of the current content returns the same as a save', async () => {
    const { id, steps } = await create();
    const { body } = await restore(id, { revision: 1 });
    const saved = await save((await create()).id, { steps: [STEP] });
    expect([body.revision, body.version, body.steps]).toEqual([saved.revision, saved.version, steps]);
  });

  it('is rejected after another save, also a concurrent one', async () => {
    const { id } = await create();
    await save(id, { steps: [{ key: 'two', command: 'echo two' }] });
    expect((await restore(id, { revision: 1 }, { 'if-match': '"1"' })).status).toBe(412);
    const hold = `select set_config('app.tenant', '${admin.tenantId}', true);
      select 1 from plans where id = '${id}' for update`;
    const answers = await withLockedRows(runward.database, hold, 2, () =>
      Promise.all([
        restore(id, { revision: 1 }, { 'if-match': '"2"' }),
        operator.api.patch<PlanView & Refusal>(
          `/api/plans/${id}`,
          { steps: [{ key: 'three', command: 'echo three' }] },
          { 'if-match': '"2"' },
        ),
      ]),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(await messages(id)).toHaveLength(3);
  });

  it('runs once per idempotency key', async () => {
    const { id } = await create();
    await save(id, { steps: [{ key: 'two', command: 'echo two' }] });
    const key = { 'idempotency-key': newId() };
    const [one, other] = [await restore(id, { revision: 1 }, key), await restore(id, { revision: 1 }, key)];
    expect(other.body).toEqual(one.body);
    expect(await messages(id)).toHaveLength(3);
  });
});
