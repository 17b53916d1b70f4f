import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { QUEUES } from '../src/common/queue/queue-names.js';
import { SCHEMA_GENERATION } from '../src/common/database/schema-generation.js';
import { apiClient, type Answer, type Credentials } from './support/api-client.js';
import { eventually } from './support/eventually.js';
import { freePort } from './support/free-port.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from './support/installation.js';
import { fillPath, makeOneOfEach, type OneOfEach } from './support/one-of-each.js';
import { operations } from './support/openapi.js';
import { startWorkerProcess, type WorkerProcess } from './support/worker-process.js';

/*
 * Two consecutive versions use one database. The older version is this code, after the database was closed to its
 * generation. A migration of the next version would close it in the same way.
 */

const WEBHOOK_SECRET = 'secret-of-the-forge';
const TENANT_WORD = 'neighbour';

let runward: Installation;
let admin: TestMember;
let ids: OneOfEach;
let worker: WorkerProcess;
let healthPort: number;
const credentials = new Map<string, Credentials>();
/** Operations that need no session or token, by operation ID. */
const publicCalls = new Map<string, () => Promise<Answer<{ code?: string }>>>();

const closeToGeneration = (generation: number) =>
  runward.database.query('update schema_generation set oldest_code = $1', [generation + 1]);
const open = () => runward.database.query('update schema_generation set oldest_code = $1', [SCHEMA_GENERATION]);
const made = async <T extends object>(path: string, body: object): Promise<T> => {
  const answer = await admin.api.post<T>(path, body);
  if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
  return answer.body;
};

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  const login = await runward.anonymous.post('/api/auth/login', { email: admin.email, password: PASSWORD });
  admin.api = apiClient(runward.url, { cookie: login.headers.get('set-cookie')!.split(';')[0]! });
  credentials.set('session', { cookie: login.headers.get('set-cookie')!.split(';')[0]! });
  ids = await makeOneOfEach(admin, TENANT_WORD);
  const scopes: [string, object][] = [
    ['full token', {}],
    ['token that reads', { scope: { access: 'read' } }],
    ['token that runs', { scope: { access: 'run' } }],
    ['token of one environment', { scope: { access: 'all', environmentIds: [ids.environmentId] } }],
    ['token of one plan', { scope: { access: 'run', planIds: [ids.planId] } }],
  ];
  for (const [name, scope] of scopes) credentials.set(name, await made('/api/tokens', { name, ...scope }));
  const machine = `/api/service-accounts/${ids.serviceAccountId}/tokens`;
  credentials.set('token of a service account', await made(machine, { name: 'of a machine' }));
  credentials.set('exchanged token', await made(machine, { name: 'exchanged' }));
  await runward.database.query(`update api_tokens set exchanged = true where name = 'exchanged'`);
  await preparePublicCalls();
  healthPort = await freePort();
  worker = await startWorkerProcess(runward, { RUNWARD_HEALTH_PORT: String(healthPort) });
});
afterAll(async () => {
  await worker?.end('SIGKILL');
  await runward.close();
});

async function preparePublicCalls(): Promise<void> {
  const { anonymous } = runward;
  const member = { email: 'linked@example.test', name: 'Linked', role: 'viewer' };
  const { setPasswordPath } = await made<{ setPasswordPath: string }>('/api/members', member);
  const order = { environmentId: ids.environmentId, sshKeyId: ids.sshKeyId, username: 'x', name: 'to-come' };
  const host = apiClient(runward.url, await made('/api/inventory/enrolments', order));
  const source = { name: 'called', url: 'https://called.invalid/x.git', webhookSecret: WEBHOOK_SECRET };
  const { id } = await made<{ id: string }>('/api/git-sources', source);
  const signature = createHmac('sha256', WEBHOOK_SECRET).update('{}').digest('hex');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const identity = `${part({ alg: 'RS256', kid: 'one' })}.${part({ iss: `https://${TENANT_WORD}.invalid` })}.x`;
  const report = { hostName: 'host', addresses: ['10.9.9.9'], address: '10.9.9.9' };
  const hostKeys = ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2bXIuEGw1YcZ2Ed6ELh7S4uUYGUy0QNk3sQxk0Gd4k'];
  publicCalls
    .set('login', () => anonymous.post('/api/auth/login', { email: admin.email, password: PASSWORD }))
    .set('setPassword', () =>
      anonymous.post('/api/auth/set-password', { secret: setPasswordPath.split('#')[1], password: PASSWORD }),
    )
    .set('exchangeIdentityToken', () => anonymous.post('/api/auth/oidc-exchange', { token: identity }))
    .set('receiveGitCall', () =>
      anonymous.raw('POST', `/api/git-sources/${id}/webhook`, '{}', {
        ...{ 'content-type': 'application/json', 'x-github-event': 'push' },
        'x-hub-signature-256': `sha256=${signature}`,
      }),
    )
    .set('enrolHost', () => host.post('/api/enrol', { ...report, hostKeys }))
    .set('verifyEnrolledHost', () => host.post('/api/enrol/verify'));
}

const readiness = () => runward.anonymous.get<{ code?: string }>('/api/health/ready');

/** Operations that read no tenant table, and the readiness, which another test covers. */
const OPERATIONS_WITHOUT_SWEEP = [
  'getLiveness',
  'getReadiness',
  'getInstallation',
  'listProblems',
  'getPlanSchema',
  'getCommandLine',
  'getCommandLineFile',
  'getCommandLineChecksum',
  'getTypeScriptClient',
  'getTypeScriptClientFile',
  'getEnrolmentScript',
];

const codeOf = ({ status, body }: Answer<{ code?: string }>): string => `${status} ${body?.code ?? ''}`.trim();
const CLOSED = '503 newer_schema';

describe('running processes of the older version', () => {
  beforeAll(async () => {
    expect(codeOf(await readiness())).toBe('200');
    await closeToGeneration(SCHEMA_GENERATION);
  });
  afterAll(open);

  it('refuse requests with every kind of credential', async () => {
    for (const [kind, credential] of credentials) {
      const api = apiClient(runward.url, credential);
      const member = { email: 'new@example.test', name: 'New', role: 'admin', password: PASSWORD };
      const answers = [await api.get<object>('/api/auth/me'), await api.post<object>('/api/members', member)];
      expect({ kind, answers: answers.map(codeOf) }).toEqual({ kind, answers: [CLOSED, CLOSED] });
    }
  });

  it('refuse requests on every route', async () => {
    const api = apiClient(runward.url, credentials.get('full token'));
    const answers = new Map<string, string>();
    for (const { operationId, method, path, security } of operations) {
      if (OPERATIONS_WITHOUT_SWEEP.includes(operationId)) continue;
      if (security?.length === 0) {
        const call = publicCalls.get(operationId);
        answers.set(operationId, call ? codeOf(await call()) : 'no call in this test');
      } else {
        const body = method === 'GET' || method === 'DELETE' ? undefined : '{}';
        const type = body ? { 'content-type': 'application/json' } : undefined;
        answers.set(operationId, codeOf(await api.raw<object>(method, fillPath(path, ids), body, type)));
      }
    }
    expect([...answers].filter(([, answer]) => answer !== CLOSED)).toEqual([]);
    expect(answers.size).toBeGreaterThan(150);
  });

  it('are not ready and take no run, although the worker is alive', async () => {
    await eventually('the API is not ready', async () => codeOf(await readiness()) === CLOSED);
    const ready = async () => (await fetch(`http://127.0.0.1:${healthPort}/api/health/ready`)).status;
    await eventually('the worker is not ready', async () => (await ready()) === 503);
    expect(worker.printed()).toMatch(/A newer Runward has upgraded the database\. This worker accepts no more work/);
    expect((await fetch(`http://127.0.0.1:${healthPort}/api/health/live`)).status).toBe(200);
  });

  it('do not start again, and print the reason in one line', async () => {
    const refusal = await startWorkerProcess(runward).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(refusal).toBe(
      `The worker ended: A newer Runward has upgraded this database. It needs schema generation ${SCHEMA_GENERATION + 1} or newer (this is ${SCHEMA_GENERATION}). Start the newer version, or restore a backup from before the upgrade.\n`,
    );
  });
});

describe('a database session', () => {
  let session: Client;
  beforeAll(async () => {
    session = new Client({ connectionString: runward.database.appUrl });
    await session.connect();
    await session.query('set role runward_app');
  });
  afterAll(() => session.end());

  /** Returns the first statement of each unit of work, as code from before this protection sends it. */
  async function firstStatements(): Promise<string[]> {
    const lists = await runward.database.query<{ call: string }>(
      `select proname || '(' || array_to_string(array(select case t::regtype::text
            when 'integer' then '1' when 'timestamp with time zone' then 'now()' else 'null' end
          from unnest(proargtypes::oid[]) t), ', ') || ')' as call
        from pg_proc where pronamespace = 'public'::regnamespace and proname ~ '^(tenants_with_|due_|stalled_)'`,
    );
    expect(lists.length).toBeGreaterThanOrEqual(9);
    const keys = await runward.database.query<{ kind: string; key: string }>(
      `select distinct on (kind) kind, '\\x' || encode(key, 'hex') as key from auth_directory`,
    );
    expect(keys.map(({ kind }) => kind).sort()).toEqual(
      ['email', 'enrolment', 'git_source', 'oidc_issuer', 'password_link', 'session', 'token'].sort(),
    );
    const keyOf = (kind: string) => keys.find((each) => each.kind === kind)?.key ?? '';
    return [
      ...lists.map(({ call }) => `select * from ${call}`),
      ...keys.map(({ kind, key }) => `select * from auth_directory where kind = '${kind}' and key = '${key}'`),
      `select * from resolve_token('${keyOf('token')}', '127.0.0.1')`,
      `select * from resolve_session('${keyOf('session')}', '127.0.0.1')`,
      `select * from trust_rules_of('https://${TENANT_WORD}.invalid', '${keyOf('oidc_issuer')}', null, 10)`,
      `insert into worker_heartbeats (name) values ('older') on conflict (name) do update set seen_at = now()`,
      `update webhooks set sender = 'older', sender_until = now()`,
      'delete from outbox_events',
      ...Object.values(QUEUES).map((name) => `update pgboss.job set state = 'active' where name = '${name}'`),
    ];
  }

  beforeAll(async () => {
    await runward.database.query(
      `insert into pgboss.job (name, data) select name, '{}' from pgboss.queue where name = any ($1)`,
      [Object.values(QUEUES)],
    );
    const tenant = `set app.tenant = '${admin.tenantId}'`;
    await runward.database.query(
      `${tenant}; insert into outbox_events (id, tenant_id, type, data) values (gen_random_uuid(), '${admin.tenantId}', 'x', '{}')`,
    );
    await session.query(tenant);
  });

  it.each([
    ['no generation', 'refused', ''],
    ['the generation before', 'refused', String(SCHEMA_GENERATION - 1)],
    ['this generation', 'answered', String(SCHEMA_GENERATION)],
  ])('of code with %s is %s', async (_, expected, generation) => {
    await session.query(`select set_config('app.generation', '${generation}', false)`);
    const found = new Map<string, string>();
    for (const sql of await firstStatements()) {
      await session.query('begin');
      await session.query(`select set_config('app.tenant', '${admin.tenantId}', true)`);
      const answer = await session.query(sql).then(
        () => 'answered',
        (error: { constraint?: string; message: string }) =>
          error.constraint === 'current_code' ? 'refused' : error.message,
      );
      await session.query('rollback');
      found.set(sql, answer);
    }
    expect([...found].filter(([, answer]) => answer !== expected)).toEqual([]);
  });
});
