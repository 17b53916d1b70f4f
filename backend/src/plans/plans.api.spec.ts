import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { STEP_DEFAULTS } from './steps/types/step-types.js';
import { withLockedRows } from '../../test/support/row-lock.js';

interface Plan {
  id: string;
  name: string;
  environmentId: string | null;
  revision: number;
  version: number;
  targets: string;
  steps: { key: string; command?: string }[];
  code?: string;
  errors?: { path: string; code: string; message: string }[];
}

interface Revision {
  number: number;
  createdBy: { id: string; name: string };
  steps: { command: string }[];
}

const STEP = { key: 'one', command: 'true' };

let runward: Installation;
let admin: TestMember;
let environmentId: string;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  environmentId = (await admin.api.post<Plan>('/api/environments', { name: 'production' })).body.id;
});
afterAll(() => runward.close());

const post = (fields: object = {}) => {
  numbered += 1;
  return admin.api.post<Plan>('/api/plans', { name: `plan-${numbered}`, steps: [STEP], ...fields });
};
async function create(fields: object = {}): Promise<Plan> {
  const answer = await post(fields);
  expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 201, errors: undefined });
  return answer.body;
}
const patch = ({ id }: Plan, fields: object, headers = {}) =>
  admin.api.patch<Plan>(`/api/plans/${id}`, fields, headers);
const revisions = async ({ id }: Plan) =>
  (await admin.api.get<{ items: Revision[] }>(`/api/plans/${id}/revisions`)).body.items;

describe('plan', () => {
  it('is returned as saved, with defaults', async () => {
    const made = await create({
      name: 'Restart web',
      description: 'x',
      environmentId,
      targets: 'role=web',
      timeoutSeconds: 60,
    });
    expect(made).toMatchObject({
      name: 'Restart web',
      environmentId,
      targets: 'role=web',
      timeoutSeconds: 60,
      revision: 1,
      version: 1,
    });
    expect(made.steps).toEqual([{ key: 'one', name: 'one', ...STEP_DEFAULTS.command, command: 'true' }]);
    expect((await admin.api.get(`/api/plans/${made.id}`)).body).toEqual(made);
    expect(await create()).toMatchObject({
      description: '',
      environmentId: null,
      targets: '',
      variables: [],
      timeoutSeconds: null,
    });
  });

  it('keeps its variables and commands byte for byte', async () => {
    const command = 'printf "%s\\n" {{ RELEASE }} \\\n  | tee /dev/null # „ütf-8“ 東京\t';
    const variables = [
      { name: 'RELEASE', type: 'string', required: true, pattern: 'v\\d+', default: 'v1', description: 'which' },
      { name: 'color', type: 'choice', required: false, choices: ['blue', 'green'], default: 'blue' },
      { name: 'hosts', type: 'list', required: false, default: ['a', 1, true] },
      { name: 'token', type: 'secret', required: true },
    ];
    const made = await create({ variables, steps: [{ ...STEP, command }] });
    expect(made).toMatchObject({ variables, steps: [{ command }] });
  });

  it('has a unique name', async () => {
    const { name } = await create();
    const again = await post({ name: name.toUpperCase() });
    expect([again.status, again.body.code]).toEqual([409, 'duplicate_name']);
    expect((await patch(await create(), { name })).status).toBe(409);
  });

  it('is listed without steps, and can be filtered by name and environment', async () => {
    const made = await create({ name: '50%_off', environmentId });
    await create({ name: '50x off' });
    const names = async (query: string) =>
      (await admin.api.get<{ items: Plan[] }>(`/api/plans?${query}`)).body.items.map(({ name }) => name);
    expect(await names('q=50%25_')).toEqual(['50%_off']);
    expect((await names(`environmentId=${environmentId}`))[0]).toBe('50%_off');
    const { body } = await admin.api.get<{ items: Plan[] }>('/api/plans?q=50%25_');
    expect(body.items[0]).toMatchObject({ id: made.id, revision: 1 });
    expect(body.items[0]).not.toHaveProperty('steps');
  });

  it('has no environment after null, and is deleted with its revisions', async () => {
    const made = await create({ environmentId });
    expect((await patch(made, { environmentId: null })).body.environmentId).toBeNull();
    expect((await admin.api.delete(`/api/plans/${made.id}`, { 'if-match': '"1"' })).status).toBe(412);
    expect((await admin.api.delete(`/api/plans/${made.id}`)).status).toBe(204);
    for (const path of ['', '/revisions', '/revisions/1'])
      expect((await admin.api.get(`/api/plans/${made.id}${path}`)).status).toBe(404);
  });
});

describe('content of a plan', () => {
  const bad: [string, object, string, string][] = [
    ['no step', { steps: [] }, '/steps', 'required'],
    ['steps that are absent', { steps: undefined }, '/steps', 'required'],
    ['a list in the list of steps', { steps: [[STEP]] }, '/steps', 'wrong_type'],
    [
      'too many steps',
      { steps: Array.from({ length: 101 }, (_, n) => ({ ...STEP, key: `s${n}` })) },
      '/steps',
      'too_many',
    ],
    ['a key twice', { steps: [STEP, STEP] }, '/steps/1/key', 'duplicate_key'],
    ['a key with capitals', { steps: [{ ...STEP, key: 'One' }] }, '/steps/0/key', 'invalid_key'],
    ['a blank command', { steps: [{ ...STEP, command: ' \n' }] }, '/steps/0/command', 'required'],
    ['a step of another type', { steps: [{ ...STEP, type: 'ritual' }] }, '/steps/0/type', 'not_allowed_value'],
    ['a step without time', { steps: [{ ...STEP, timeoutSeconds: 0 }] }, '/steps/0/timeoutSeconds', 'invalid_timeout'],
    [
      'a step with half a second',
      { steps: [{ ...STEP, timeoutSeconds: 0.5 }] },
      '/steps/0/timeoutSeconds',
      'wrong_type',
    ],
    ['a selector that is none', { targets: 'role in' }, '/targets', 'invalid_selector'],
    ['a step’s selector that is none', { steps: [{ ...STEP, targets: '(' }] }, '/steps/0/targets', 'invalid_selector'],
    ['more than a day', { timeoutSeconds: 86_401 }, '/timeoutSeconds', 'invalid_timeout'],
    ['a variable called PATH', { variables: [{ name: 'PATH', type: 'string' }] }, '/variables/0/name', 'invalid_name'],
    [
      'a variable called __proto__',
      { variables: [{ name: '__proto__', type: 'string' }] },
      '/variables/0/name',
      'invalid_name',
    ],
    [
      'a default of another type',
      { variables: [{ name: 'a', type: 'integer', default: '5' }] },
      '/variables/0/default',
      'invalid_default',
    ],
    [
      'an object as default',
      { variables: [{ name: 'a', type: 'list', default: { b: 1 } }] },
      '/variables/0/default',
      'invalid_default',
    ],
    [
      'a secret with a default',
      { variables: [{ name: 'a', type: 'secret', default: 's3cret' }] },
      '/variables/0/default',
      'invalid_default',
    ],
    [
      'a choice without choices',
      { variables: [{ name: 'a', type: 'choice' }] },
      '/variables/0/choices',
      'missing_choices',
    ],
    [
      'a choice that is no text',
      { variables: [{ name: 'a', type: 'choice', choices: [1] }] },
      '/variables/0/choices',
      'wrong_type',
    ],
    [
      'a pattern that looks back',
      { variables: [{ name: 'a', type: 'string', pattern: '(a)\\1' }] },
      '/variables/0/pattern',
      'invalid_pattern',
    ],
  ];

  it.each(bad)('is refused with %s, at its path', async (_, fields, path, code) => {
    const answer = await post(fields);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual(
      expect.arrayContaining([expect.objectContaining({ path, code, message: expect.stringMatching(/\S/) })]),
    );
  });

  it('is refused with an unknown variable in a command', async () => {
    const answer = await post({
      variables: [{ name: 'RELEASE', type: 'string' }],
      steps: [{ ...STEP, command: 'echo {{ RELAESE }}' }],
    });
    expect(answer.status).toBe(400);
    expect(answer.body.errors?.[0]).toMatchObject({
      path: '/steps/0/command',
      message: expect.stringContaining('RELEASE'),
    });
  });

  it('is refused with all faults at once', async () => {
    const answer = await post({
      targets: '(',
      timeoutSeconds: 0,
      steps: [
        { ...STEP, key: '-' },
        { ...STEP, command: ' ' },
      ],
    });
    expect(answer.body.errors?.map(({ path }) => path).sort()).toEqual([
      '/steps/0/key',
      '/steps/1/command',
      '/targets',
      '/timeoutSeconds',
    ]);
  });

  it('is unchanged after a refused save', async () => {
    const made = await create();
    for (const [, fields] of bad.filter(([, held]) => !('steps' in held) || held.steps !== undefined))
      expect((await patch(made, fields)).status).toBe(400);
    expect((await admin.api.get(`/api/plans/${made.id}`)).body).toEqual(made);
    expect(await revisions(made)).toHaveLength(1);
  });

  it('is validated as a whole if only a part is saved', async () => {
    const made = await create({
      variables: [{ name: 'a', type: 'string' }],
      steps: [{ ...STEP, command: 'echo {{ a }}' }],
    });
    const changed = await patch(made, { variables: [] });
    expect([changed.status, changed.body.errors?.[0]?.path]).toEqual([400, '/steps/0/command']);
  });
});

describe('revision', () => {
  it('is created by every save and never changes', async () => {
    const operator = await runward.member(admin, 'operator');
    const made = await create({ steps: [{ ...STEP, command: 'echo 1' }] });
    const [first] = await revisions(made);
    await operator.api.patch(`/api/plans/${made.id}`, { steps: [{ ...STEP, command: 'echo 2' }] });
    await patch(made, { name: 'only renamed' });
    const all = await revisions(made);
    expect(all.map(({ number, createdBy, steps }) => [number, createdBy.id, steps[0]?.command])).toEqual([
      [3, admin.userId, 'echo 2'],
      [2, operator.userId, 'echo 2'],
      [1, admin.userId, 'echo 1'],
    ]);
    expect((await admin.api.get(`/api/plans/${made.id}/revisions/1`)).body).toEqual(first);
    const { items: members } = (await admin.api.get<{ items: { id: string; name: string }[] }>('/api/members')).body;
    const nameOf = (userId: string) => members.find(({ id }) => id === userId)?.name;
    expect(all.map(({ createdBy }) => createdBy.name)).toEqual(
      [admin, operator, admin].map(({ userId }) => nameOf(userId)),
    );
  });

  it('is not created by a move to another collection, because that changes nothing that runs', async () => {
    const { body: place } = await admin.api.post<{ id: string }>('/api/collections', { name: 'Tidy' });
    const made = await create();
    const moved = await patch(made, { collectionId: place.id });
    expect(moved.body).toMatchObject({ collectionId: place.id, revision: 1, version: 2 });
    expect((await patch(made, { collectionId: null }, { 'if-match': '"2"' })).body).toMatchObject({ revision: 1 });
    expect(await revisions(made)).toHaveLength(1);
    const both = await patch(made, { collectionId: place.id, description: 'and more' });
    expect(both.body).toMatchObject({ revision: 2 });
    expect(await revisions(made)).toHaveLength(2);
  });

  it('can only be found by its number', async () => {
    const made = await create();
    for (const number of ['0', '2', '01', '-1', '1.0', '1e0', 'latest', '99999999999', '%00']) {
      expect({ number, status: (await admin.api.get(`/api/plans/${made.id}/revisions/${number}`)).status }).toEqual({
        number,
        status: 404,
      });
    }
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const headers = { 'content-type': 'application/json' };
      expect((await admin.api.raw(method, `/api/plans/${made.id}/revisions/1`, '{}', headers)).status).toBe(405);
    }
  });
});

describe('concurrent saves of a plan', () => {
  it('fail with 412 if the version is not the latest', async () => {
    const made = await create();
    expect((await patch(made, { description: 'a' }, { 'if-match': '"1"' })).headers.get('etag')).toBe('"2"');
    const late = await patch(made, { description: 'b' }, { 'if-match': '"1"' });
    expect([late.status, late.body.code]).toEqual([412, 'version_mismatch']);
    expect(await revisions(made)).toHaveLength(2);
  });

  it.each([
    ['412 if they sent the version', { 'if-match': '"1"' }, [200, 412, 412, 412]],
    ['409 otherwise', {}, [200, 409, 409, 409]],
  ])('let one of several succeed and answer the rest with %s', async (_, headers, statuses) => {
    const made = await create();
    const sql = `select set_config('app.tenant', '${admin.tenantId}', true); select from plans where id = '${made.id}' for update`;
    const answers = await withLockedRows(runward.database, sql, 4, () =>
      Promise.all(['a', 'b', 'c', 'd'].map((command) => patch(made, { steps: [{ ...STEP, command }] }, headers))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual(statuses);
    const all = await revisions(made);
    expect(all.map(({ number }) => number)).toEqual([2, 1]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await admin.api.get(`/api/plans/${made.id}`)).body).toEqual(winner?.body);
  });
});
