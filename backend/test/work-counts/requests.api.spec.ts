import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BoundedClient } from '../../src/common/database/bounded-client.js';
import { type Installation, startInstallation, type TestMember } from '../support/installation.js';
import { queryAs } from '../support/table-contents.js';

interface Work {
  statements: string[];
  trips: number;
}

let runward: Installation;
let admin: TestMember;
let keyId: string;
let few: string;
let many: string;
let planId: string;

const post = async (path: string, body: object): Promise<{ id: string }> => {
  const answer = await admin.api.post<{ id: string }>(path, body);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  keyId = (await post('/api/ssh-keys', { name: 'counted', generate: { type: 'ed25519' } })).id;
  few = (await post('/api/environments', { name: 'few' })).id;
  many = (await post('/api/environments', { name: 'many' })).id;
  await insertServers(few, 'few', 10);
  await insertServers(many, 'many', 2000);
  const steps = [{ key: 'one', command: 'true' }];
  planId = (await post('/api/plans', { name: 'counted', environmentId: few, parallelSafe: true, steps })).id;
  // Excludes work that is done once per process, token or plan.
  await start(few, 'name=few-1');
});
afterAll(() => runward.close());

const insertServers = (environmentId: string, name: string, count: number) =>
  queryAs(
    runward.database,
    admin.tenantId,
    `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
      select gen_random_uuid(), $1, $2, $4 || '-' || n, $4 || '-' || n || '.example.test', 22, 'deploy', $3,
          jsonb_build_object('rack', (n / 100)::text)
        from generate_series(1, $5::int) n`,
    [admin.tenantId, environmentId, keyId, name, count],
  );

const start = (environmentId: string, targets: string) =>
  post('/api/executions', { planId, environmentId, targets, execution_mode: 'auto' });

/**
 * Counts the work of the application's connections during `work`. Statements that are sent together count as one round
 * trip.
 */
async function counted(work: () => Promise<unknown>): Promise<Work> {
  const { prototype } = BoundedClient;
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { query } = prototype;
  const found: Work = { statements: [], trips: 0 };
  const busy = new Map<BoundedClient, number>();
  prototype.query = function counting(this: BoundedClient, ...parameters: unknown[]): never {
    const answer: unknown = Reflect.apply(query, this, parameters);
    if (!(this as unknown as { pipeline: boolean }).pipeline || !(answer instanceof Promise)) return answer as never;
    found.statements.push(String(parameters[0]));
    if (!busy.get(this)) found.trips += 1;
    busy.set(this, (busy.get(this) ?? 0) + 1);
    const end = () => busy.set(this, (busy.get(this) ?? 1) - 1);
    void answer.then(end, end);
    return answer as never;
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return found;
}

/** Work that was measured when this test was written. */
const MOST = {
  start: { statements: 16, trips: 8 },
  run: { statements: 4, trips: 2 },
  list: { statements: 4, trips: 3 },
  me: { statements: 5, trips: 4 },
};

const statementStart = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 100);

async function expectWorkAtMost(most: Omit<Work, 'statements'> & { statements: number }, work: () => Promise<unknown>) {
  const { statements, trips } = await counted(work);
  if (statements.length <= most.statements && trips <= most.trips) return;
  throw new Error(
    `${trips} trips with ${statements.length} statements, at most ${most.trips} with ${most.statements}:\n${statements.map(statementStart).join('\n')}`,
  );
}

describe('database work of a request', () => {
  it('has a limit for a start on one server, in small and large environments', async () => {
    await expectWorkAtMost(MOST.start, () => start(few, 'name=few-2'));
    await expectWorkAtMost(MOST.start, () => start(many, 'name=many-1'));
  });

  it('does not grow for a start on 100 servers', async () => {
    // With several servers, one more query tests whether two are the same machine.
    const { statements, trips } = MOST.start;
    await expectWorkAtMost({ statements: statements + 1, trips }, () => start(many, 'rack=7'));
  });

  it('has a limit for a run, a list of runs and the current user', async () => {
    const { id } = await start(few, 'name=few-3');
    const get = (path: string) => async () => expect((await admin.api.get(path)).status).toBe(200);
    await expectWorkAtMost(MOST.run, get(`/api/executions/${id}`));
    await expectWorkAtMost(MOST.list, get('/api/executions?limit=50'));
    await expectWorkAtMost(MOST.me, get('/api/auth/me'));
  });

  it('does not validate again what an earlier run of the same plan validated: nothing is rendered again', async () => {
    const { statements } = await counted(() => start(few, 'name=few-4'));
    expect(statements.filter((text) => /^START TRANSACTION/.test(text))).toHaveLength(1);
    expect(statements.filter((text) => /^rollback/i.test(text))).toEqual([]);
  });
});
