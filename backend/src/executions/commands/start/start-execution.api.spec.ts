import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestMember } from '../../../../test/support/installation.js';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';

let lab: RunLab;
let planId: string;
let stranger: TestMember;

interface Refusal {
  code: string;
  detail: string;
  errors?: { path: string; code: string; message: string }[];
}

const rows = async (table: string): Promise<number> => {
  const [row] = await lab.runward.database.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return row?.n ?? -1;
};
const refused = async (body: Record<string, unknown>) => {
  const answer = await lab.api.post<Refusal>('/api/executions', {
    planId,
    execution_mode: 'auto',
    variables: { release: 'v1' },
    ...body,
  });
  return { status: answer.status, ...answer.body };
};

beforeAll(async () => {
  lab = await startRunLab();
  stranger = await lab.runward.tenant();
  planId = await lab.plan(['echo {{ release }} {{ count }}'], {
    variables: [
      { name: 'release', type: 'string', required: true, pattern: 'v\\d+' },
      { name: 'count', type: 'integer', default: 1 },
      { name: 'colour', type: 'choice', choices: ['blue', 'green'], default: 'blue' },
      { name: 'password', type: 'secret' },
    ],
  });
});
afterAll(() => lab.close());

describe('an invalid start', () => {
  it.each([
    [{ variables: { release: 'v1', relaese: 'v1' } }, '/variables/relaese', 'unknown_variable', 'release'],
    [{ variables: { release: 'v1', colour: 'bleu' } }, '/variables/colour', 'not_a_choice', 'Did you mean "blue"?'],
    [
      { variables: { release: 'v1', count: '3' } },
      '/variables/count',
      'wrong_type',
      'a whole number such as 8080, without quotes',
    ],
    [{ variables: { release: 1 } }, '/variables/release', 'wrong_type', 'must be text'],
    [{ variables: { release: 'latest' } }, '/variables/release', 'pattern_mismatch', 'must match the pattern'],
    [{ variables: {} }, '/variables/release', 'required', 'the plan cannot start without it'],
    [{ variables: { release: 'v1', password: 5 } }, '/variables/password', 'wrong_type', 'must be text'],
  ])('is refused with the path, a code and advice: %j', async (body, path, code, advice) => {
    const answer = await refused(body);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ path, code }] });
    expect(answer.errors?.[0]?.message).toContain(advice);
  });

  it.each([
    [{ execution_mode: 'dry-run' }, '/execution_mode'],
    [{ execution_mode: 'AUTO' }, '/execution_mode'],
    [{ execution_mode: undefined }, '/execution_mode'],
    [{ planId: undefined }, '/planId'],
    [{ planId: 5 }, '/planId'],
    [{ variables: [] }, '/variables'],
    [{ variables: { release: { $gt: '' } } }, '/variables'],
    [{ targets: 'role in (' }, '/targets'],
    [{ targets: 3 }, '/targets'],
    [{ note: 'n'.repeat(2001) }, '/note'],
    [{ enviromentId: 'x' }, '/enviromentId'],
  ])('is refused and names the field: %j', async (body, path) => {
    const answer = await refused(body);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(answer.errors?.map((each) => each.path)).toContain(path);
  });

  it('names every invalid variable at once', async () => {
    const answer = await refused({ variables: { release: 1, count: 'x', colour: 'red', extra: 1 } });
    expect(answer.errors?.map((each) => each.code).sort()).toEqual([
      'not_a_choice',
      'unknown_variable',
      'wrong_type',
      'wrong_type',
    ]);
  });

  it('never contains the value of a secret', async () => {
    const answer = await lab.api.post('/api/executions', {
      planId,
      execution_mode: 'auto',
      variables: { release: 'v1', password: ['hunter2hunter2'] },
    });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('hunter2');
  });
});

describe('a plan or environment that the caller cannot see', () => {
  it('is not found, whether it belongs to another tenant, does not exist or is malformed', async () => {
    const { body: foreignEnvironment } = await stranger.api.post<{ id: string }>('/api/environments', {
      name: 'theirs',
    });
    const { body: foreign } = await stranger.api.post<{ id: string }>('/api/plans', {
      name: 'theirs',
      steps: [{ key: 'a', command: 'true' }],
    });
    const made = '01990000-0000-7000-8000-000000000000';
    for (const id of [foreign.id, made, 'no-id']) {
      expect(await refused({ planId: id })).toMatchObject({
        status: 404,
        code: 'not_found',
        errors: [{ path: '/planId' }],
      });
    }
    for (const id of [foreignEnvironment.id, made, 'no-id']) {
      expect(await refused({ environmentId: id })).toMatchObject({ status: 404, errors: [{ path: '/environmentId' }] });
    }
  });
});

describe('a start without any host', () => {
  it('is a conflict that says where to look', async () => {
    expect(await refused({ targets: 'role=nothing' })).toMatchObject({ status: 409, code: 'no_targets' });
    const empty = await lab.environment('empty');
    const answer = await refused({ environmentId: empty });
    expect(answer).toMatchObject({ status: 409, code: 'no_targets' });
    expect(answer.detail).toBe(
      `No enabled server of "empty" matches the targets. Check the servers' tags and the selectors.`,
    );
  });

  it('does not count a disabled server', async () => {
    const environmentId = await lab.environment('disabled');
    await lab.server({ environmentId, enabled: false });
    expect(await refused({ environmentId })).toMatchObject({ status: 409, code: 'no_targets' });
  });

  it('requires an environment when the plan has none', async () => {
    const { body } = await lab.api.post<{ id: string }>('/api/plans', {
      name: 'homeless',
      steps: [{ key: 'a', command: 'true' }],
    });
    expect(await refused({ planId: body.id, variables: {} })).toMatchObject({
      status: 400,
      errors: [{ path: '/environmentId', code: 'required' }],
    });
  });
});

describe('a caller who may not start runs', () => {
  it('is refused: a viewer by role, an unauthenticated client by credentials', async () => {
    const viewer = await lab.runward.member(lab.admin, 'viewer');
    expect((await lab.tryStart(planId, {}, viewer.api)).body).toMatchObject({ status: 403, code: 'insufficient_role' });
    expect((await lab.tryStart(planId, {}, lab.runward.anonymous)).status).toBe(401);
  });
});

describe('a refused start', () => {
  it('leaves nothing behind', async () => {
    for (const table of [
      'executions',
      'execution_hosts',
      'execution_steps',
      'guard_keys',
      'execution_events',
      'pgboss.job',
    ]) {
      expect([table, await rows(table)]).toEqual([table, 0]);
    }
  });
});

describe('the transaction that accepts a run', () => {
  const TABLES = [
    'executions',
    'execution_hosts',
    'execution_steps',
    'guard_keys',
    'execution_events',
    'audit_entries',
    'pgboss.job',
  ];

  it.each(TABLES)('stores all or nothing when storing into %s fails', async (table) => {
    const { database, app } = lab.runward;
    app.useLogger(false);
    await database.query(
      `create or replace function fail_here() returns trigger language plpgsql as $$ begin raise exception 'injected'; end $$`,
    );
    const before = await Promise.all(TABLES.map(rows));
    await database.query(
      `create trigger fail_here before insert on ${table} for each row execute function fail_here()`,
    );
    try {
      const answer = await lab.tryStart(planId, { variables: { release: 'v1' } });
      expect(answer.status).toBe(500);
      expect(answer.text).not.toContain('injected');
    } finally {
      await database.query(`drop trigger fail_here on ${table}`);
    }
    expect(await Promise.all(TABLES.map(rows))).toEqual(before);
  });

  it('stores run, host, step, both keys, event, audit entry and job together', async () => {
    const before = await Promise.all(TABLES.map(rows));
    const run = await lab.start(planId, { variables: { release: 'v1' } });
    const after = await Promise.all(TABLES.map(rows));
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1, 2, 1, 1, 1]);
    expect(run).toMatchObject({ status: 'PENDING', finished: false, version: 2, startedAt: null });
    const jobs = await lab.runward.database.query<{ data: unknown }>('select data from pgboss.job');
    expect(jobs).toEqual([{ data: { tenantId: lab.admin.tenantId, executionId: run.id } }]);
  });
});
