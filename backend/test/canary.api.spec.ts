import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ssh2 from 'ssh2';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import { importPrivateKey } from './support/import-key.js';
import { type Answer, type ApiClient, apiClient, type Credentials } from './support/api-client.js';
import { findInDatabase, formsOf, placesOf, searchableColumns } from './support/canaries.js';
import { createTestDatabase, type TestDatabase } from './support/database.js';
import { made } from './support/environment-scene.js';
import { followEvents } from './support/event-client.js';
import { TEST_MASTER_KEY } from './support/master-key.js';
import { PROCESS_ADMIN, type RunwardProcess, startRunwardProcess } from './support/runward-process.js';
import { type SshHosts, startSshHosts } from './support/ssh-hosts.js';

/**
 * Control value that is not a secret. It is in a name, a variable, a command line and the output, and the search must
 * find it everywhere.
 */
const MARKER = 'n0t-a-secret-marker-61d2';
/** Position at which commands split a value to print its halves separately. */
const CUT = 11;

const ADMIN_PASSWORD = `adm1n/Pass+word-${randomBytes(6).toString('hex')}`;
const PASSWORD = `f1rst/Pass+word-${randomBytes(6).toString('hex')}`;
const NEW_PASSWORD = `n3wer/Pass+word-${randomBytes(6).toString('hex')}`;
const PASSPHRASE = `c4n4ry/Pass+phrase-${randomBytes(6).toString('hex')}`;
const START = `c4n4ry/St+rt-${randomBytes(6).toString('hex')}`;
const ENVIRONMENT = `k3str3l/Env+${randomBytes(6).toString('hex')}`;

/** Secrets by description. The test adds the token and the sessions later. */
const canaries = new Map<string, string | Buffer>([
  ['password of the first admin', ADMIN_PASSWORD],
  ['password', PASSWORD],
  ['changed password', NEW_PASSWORD],
  ['passphrase', PASSPHRASE],
  ['secret start variable', START],
  ['secret environment variable', ENVIRONMENT],
  ['half of the start variable', START.slice(0, CUT)],
  ['other half of the start variable', START.slice(CUT)],
  ['other half of the environment variable', ENVIRONMENT.slice(CUT)],
  ['master key', TEST_MASTER_KEY.key],
]);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

let database: TestDatabase;
let hosts: SshHosts;
let folder: string;
let runward: RunwardProcess;
let runs: { leaked: ExecutionView; failed: ExecutionView };
const responses: { what: string; text: string }[] = [];
const commandLines = new Set<string>();
let newTokenResponse: string;

/** Returns a client that records all responses, except cookies, which contain a session by design. */
function recorded(credentials: Credentials = {}): ApiClient {
  const calls = Object.entries(apiClient(runward.url, credentials)) as [
    string,
    (...args: unknown[]) => Promise<Answer>,
  ][];
  return Object.fromEntries(
    calls.map(([name, call]) => [
      name,
      async (...args: unknown[]) => {
        const answer = await call(...args);
        const headers = [...answer.headers].filter(([header]) => header !== 'set-cookie');
        responses.push({ what: `${name} ${String(args[0])}`, text: `${JSON.stringify(headers)}\n${answer.text}` });
        return answer;
      },
    ]),
  ) as unknown as ApiClient;
}

async function signIn(email: string, password: string): Promise<ApiClient> {
  const login = await recorded().post('/api/auth/login', { email, password });
  expect(login.status).toBe(200);
  const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  canaries.set(`session of ${email}, ${canaries.size}`, cookie.slice(cookie.indexOf('=') + 1));
  return recorded({ cookie });
}

/**
 * Prints a variable in every form that masking must recognise. Uses only builtins, so that no command line contains the
 * value.
 */
const leak = (name: string) => [
  `printf %s "$${name}" | sha256sum | cut -c1-64 | tee -a {{ EVIDENCE }}/hashes`,
  `echo "plain $${name}" {{ ${name} }}`,
  `echo "to stderr $${name}" >&2`,
  `printf 'base64 %s\\n' "$(printf 'x%s' "$${name}" | base64 -w0)"`,
  `printf 'url %s\\n' "$(printf %s "$${name}" | sed 's|/|%2F|g; s|+|%2B|g')"`,
  `printf 'quoted %s\\n' "$(bash -c 'printf %q "$${name}"')"`,
  `printf 'hex %s\\n' "$(printf %s "$${name}" | od -An -v -tx1 | tr -d ' \\n')"`,
  `printf 'dump '; printf %s "$${name}" | od -An -v -tx1`,
  `printf 'octets %s\\n' "$(printf %s "$${name}" | od -An -v -tx1 | tr -d '\\n' | sed 's/ /\\\\x/g')"`,
  `printf 'json %s\\n' "$(printf %s "$${name}" | sed 's|/|\\\\/|g')"`,
  `printf 'split %s' "$(printf %s "$${name}" | cut -c1-${CUT})"; sleep 0.4; printf '%s\\n' "$(printf %s "$${name}" | cut -c${CUT + 1}-)"`,
];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-canary-'));
  await chmod(folder, 0o777);
  [database, hosts] = await Promise.all([createTestDatabase(), startSshHosts({ addresses: ['127.0.3.1'] })]);
  runward = await startRunwardProcess(database.url, path.join(folder, 'data'), {
    RUNWARD_ADMIN_PASSWORD: ADMIN_PASSWORD,
    RUNWARD_LOG_LEVEL: 'debug',
    RUNWARD_TENANT: MARKER,
  });
  const admin = await signIn(PROCESS_ADMIN.email, ADMIN_PASSWORD);
  const { body: me } = await admin.get<{ tenant: { id: string } }>('/api/auth/me');
  await database.query(`select set_config('app.tenant', $1, false)`, [me.tenant.id]);
  const operator = await signInOperator(admin);
  const sshKeyId = await importKey(admin);
  const environmentId = await made(admin.post('/api/environments', { name: MARKER }));
  const { hostKey, port, user, addresses } = hosts.sshd;
  const serverId = await made(
    admin.post('/api/inventory/servers', {
      name: 'host-1',
      hostname: addresses[0],
      port,
      username: user,
      sshKeyId,
      environmentId,
      hostKey: { publicKey: `${hostKey.type} ${hostKey.publicKey}` },
    }),
  );
  const variables = `/api/environments/${environmentId}/variables`;
  const refused = [
    await admin.put(`${variables}/FROM_ENVIRONMENT`, { value: ENVIRONMENT, secret: true, typo: ENVIRONMENT }),
    await admin.put(`${variables}/FROM_ENVIRONMENT`, { value: [ENVIRONMENT, '\0'], secret: true }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([400, 400]);
  expect((await admin.put(`${variables}/FROM_ENVIRONMENT`, { value: ENVIRONMENT, secret: true })).status).toBe(200);
  const planId = await made(
    admin.post('/api/plans', {
      name: `${MARKER} plan`,
      environmentId,
      variables: [
        { name: 'FROM_START', type: 'secret', required: true },
        { name: 'FROM_ENVIRONMENT', type: 'secret' },
        { name: 'EVIDENCE', type: 'string', default: folder },
        { name: 'FAILS', type: 'string', default: '' },
      ],
      steps: [
        {
          key: 'leak',
          command: [...leak('FROM_START'), ...leak('FROM_ENVIRONMENT'), `sh -c 'sleep 3' ${MARKER}`].join('\n'),
        },
        {
          key: 'fail',
          command: `test -z "$FAILS" || { printf 'failing with %s' "$FROM_START" >&2; printf %s "$FROM_ENVIRONMENT" | cut -c1-${CUT}; exit 3; }; echo ${MARKER}`,
        },
      ],
    }),
  );
  const watch = watchCommandLines();
  const run = (more: object) => startAndFollow(operator, planId, more);
  runs = { leaked: await run({}), failed: await run({ FAILS: 'yes' }) };
  await watch.end();
  await provokeRefusals(operator, planId);
  await provokeFailure(operator, planId, environmentId);
  for (const what of [
    'members',
    'tokens',
    'ssh-keys',
    'environments',
    'inventory/servers',
    'plans',
    'executions',
    'audit-logs',
  ])
    await admin.get(`/api/${what}?limit=200`);
  for (const what of [
    'audit-logs/export',
    'audit-logs/verify',
    'auth/sessions',
    `ssh-keys/${sshKeyId}`,
    `environments/${environmentId}/variables`,
    `environments/${environmentId}/variables/FROM_ENVIRONMENT`,
    `inventory/servers/${serverId}`,
    `inventory/servers/${serverId}/variables`,
    `plans/${planId}`,
    `plans/${planId}/revisions`,
    `plans/${planId}/variables`,
    'openapi.json',
  ])
    expect({ what, status: (await admin.get(`/api/${what}`)).status }).toEqual({ what, status: 200 });
  await runward.end('SIGTERM');
});
afterAll(async () => {
  await runward?.end('SIGKILL');
  await hosts?.stop();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Signs in an operator by password, after failed attempts and a password change. Returns a client with a token. */
async function signInOperator(admin: ApiClient): Promise<ApiClient> {
  const email = 'operator@example.test';
  await made(admin.post('/api/members', { email, name: 'Operator', role: 'operator', password: PASSWORD }));
  const again = await admin.post('/api/members', { email, name: 'Operator', role: 'operator', password: PASSWORD });
  expect(again.status).toBe(409);
  expect((await recorded().post('/api/auth/login', { email, password: `${PASSWORD}x` })).status).toBe(401);
  expect((await recorded().post('/api/auth/login', { email, password: PASSWORD, typo: PASSWORD })).status).toBe(400);
  const before = await signIn(email, PASSWORD);
  const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD };
  expect((await before.post('/api/auth/password', change)).status).toBeLessThan(300);
  const session = await signIn(email, NEW_PASSWORD);
  const keyed = { 'idempotency-key': 'the-token' };
  const count = responses.length;
  const created = await session.post<{ token: string }>('/api/tokens', { name: MARKER }, keyed);
  // The only response that may contain the token, because only the token's creator gets it.
  newTokenResponse = responses
    .splice(count)
    .map(({ text }) => text)
    .join('');
  const { token } = created.body;
  canaries.set('API token', token);
  // Part after the prefix, which lists show.
  canaries.set('secret half of the API token', token.slice(-40));
  await session.post('/api/tokens', { name: MARKER }, keyed);
  expect((await recorded({ token: `${token}x` }).get('/api/plans')).status).toBe(401);
  expect((await recorded({ token }).get(`/api/plans?limit=${token}`)).status).toBe(400);
  return recorded({ token });
}

/** Imports an SSH key with a passphrase, after attempts with wrong passphrases. The hosts accept this key. */
async function importKey(admin: ApiClient): Promise<string> {
  const pair = ssh2.utils.generateKeyPairSync('ed25519', { passphrase: PASSPHRASE, cipher: 'aes256-ctr', rounds: 16 });
  await hosts.sshd.addAuthorizedKey(pair.public);
  const plain = (await importPrivateKey(pair.private, PASSPHRASE)).privateKey;
  const lines = plain.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
  const bytes = Buffer.from(lines.join(''), 'base64');
  const blob = Buffer.from(pair.public.split(' ')[1] ?? '', 'base64').subarray(-32);
  // OpenSSH's format has the seed directly before the second copy of the public key, and again before the end of that
  // copy.
  const seed = bytes.subarray(bytes.lastIndexOf(blob) - 32, bytes.lastIndexOf(blob));
  expect(seed).toHaveLength(32);
  canaries.set('SSH private key', seed);
  expect(found(lines.join(''))).toContain('SSH private key');
  for (const [index, line] of lines.slice(-3).entries()) canaries.set(`line ${index} of the SSH private key`, line);
  const whole = pair.private.split('\n').filter((line) => line.length > 60);
  for (const [index, line] of whole.slice(-3, -1).entries()) canaries.set(`line ${index} of the key file`, line);
  const body = { name: MARKER, privateKey: pair.private, passphrase: PASSPHRASE };
  const wrong = [
    { ...body, passphrase: `${PASSPHRASE}x` },
    { ...body, privateKey: plain.replace('OPENSSH', 'SOMETHING') },
    { ...body, typo: plain },
  ];
  for (const each of wrong) expect((await admin.post('/api/ssh-keys', each)).status).toBe(400);
  const broken = JSON.stringify({ ...body, privateKey: plain }).slice(0, -1);
  expect((await admin.raw('POST', '/api/ssh-keys', broken, { 'content-type': 'application/json' })).status).toBe(400);
  return made(admin.post('/api/ssh-keys', body, { 'idempotency-key': 'the-key' }));
}

async function startAndFollow(api: ApiClient, planId: string, more: object): Promise<ExecutionView> {
  const body = { planId, execution_mode: 'auto', note: MARKER, variables: { FROM_START: START, ...more } };
  const keyed = { 'idempotency-key': `start-${Object.keys(more).join('-')}` };
  const { id } = (await api.post<{ id: string }>('/api/executions', body, keyed)).body;
  await api.post('/api/executions', body, keyed);
  const token = String(canaries.get('API token'));
  const stream = await followEvents(`${runward.url}/api/executions/${id}/stream`, { authorization: `Bearer ${token}` });
  const settled = await api.get<ExecutionView>(`/api/executions/${id}?wait=40&until=settled`);
  await stream.ended;
  responses.push({ what: 'stream', text: stream.raw() });
  await api.get(`/api/executions/${id}/results`);
  await api.get(`/api/executions/${id}/output?limit=5000`);
  await api.get(`/api/executions/${id}/output`, { accept: 'text/plain' });
  return settled.body;
}

async function provokeRefusals(api: ApiClient, planId: string): Promise<void> {
  const start = { planId, execution_mode: 'auto', variables: { FROM_START: START } };
  const refusals: [object, number][] = [
    [{ ...start, variables: { FROM_START: [START] } }, 400],
    [{ ...start, variables: { FROM_START: START, FROM_STRAT: START } }, 400],
    [{ ...start, secret: START }, 400],
    [{ ...start, planId: START }, 404],
  ];
  for (const [body, status] of refusals) expect((await api.post('/api/executions', body)).status).toBe(status);
  await api.raw('POST', '/api/executions', `{"planId": "${START}", "planId": "${START}"}`, {
    'content-type': 'application/json',
  });
  await api.raw('POST', '/api/executions', START, { 'content-type': 'text/plain' });
}

/** Causes an internal error by changing a sealed value, because its log must not contain secrets either. */
async function provokeFailure(api: ApiClient, planId: string, environmentId: string): Promise<void> {
  await database.query(
    'update environment_variables set sealed_value = set_byte(sealed_value, 100, 255 - get_byte(sealed_value, 100)) where environment_id = $1',
    [environmentId],
  );
  const body = { planId, execution_mode: 'auto', note: MARKER, variables: { FROM_START: START } };
  expect((await api.post('/api/executions', body)).status).toBe(500);
}

/** Records the command lines of all processes on this machine until `end` is called. */
function watchCommandLines(): { end(): Promise<void> } {
  let ending = false;
  const watch = async (): Promise<void> => {
    while (!ending) {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
      for (const line of lines) commandLines.add(line.replaceAll('\0', ' '));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const watching = watch();
  return {
    end: async () => {
      ending = true;
      await watching;
    },
  };
}

const found = (text: string): string[] =>
  [...canaries].filter(([, secret]) => formsOf(secret).some((form) => text.includes(form))).map(([name]) => name);

describe('a run that leaks its secrets in every possible form', () => {
  it('used the real values: the host received the exact bytes, and accepted the key', async () => {
    const hashes = (await readFile(path.join(folder, 'hashes'), 'utf8')).split('\n').filter(Boolean);
    expect(hashes).toEqual([START, ENVIRONMENT, START, ENVIRONMENT].map(sha256));
    expect(runs.leaked).toMatchObject({ status: 'SUCCEEDED', startedVia: 'token' });
    expect(runs.failed.status).toBe('FAILED');
    expect(found(newTokenResponse)).toEqual(['API token', 'secret half of the API token']);
  });

  it('prints secret names instead of values, in every form and in separate halves', () => {
    const output = responses.find(({ what, text }) => what.endsWith('/output') && text.includes('split'))?.text ?? '';
    const [start, environment] = ['‹secret FROM_START›', '‹secret FROM_ENVIRONMENT›'];
    for (const name of [start, environment]) {
      for (const line of [
        `plain ${name} ${name}`,
        `to stderr ${name}`,
        `url ${name}`,
        `quoted ${name}`,
        `hex ${name}`,
        `octets ${name}`,
        `json ${name}`,
        `split ${name}`,
      ])
        expect(output).toContain(line);
      expect(output).toMatch(new RegExp(`dump +${name}`));
      expect(output).toMatch(new RegExp(`base64 \\S*${name}`));
    }
  });

  it('leaks none in API responses, streams, output, problems or audit exports', () => {
    expect(responses.filter(({ text }) => found(text).length > 0).map(({ what, text }) => [what, found(text)])).toEqual(
      [],
    );
    expect(responses.length).toBeGreaterThan(50);
    for (const place of ['stream', 'get /api/audit-logs/export', 'get /api/executions?limit=200'])
      expect({ place, marked: responses.some(({ what, text }) => what === place && text.includes(MARKER)) }).toEqual({
        place,
        marked: true,
      });
    const problems = responses.filter(({ text }) => /application\/problem\+json/.test(text));
    expect(problems.length).toBeGreaterThan(12);
  });

  it('leaks none in process logs', () => {
    expect(found(runward.printed())).toEqual([]);
    expect(runward.printed()).toContain(MARKER);
    expect(runward.printed()).toMatch(/sealed value was changed/);
  });

  it('leaks none in command lines on this machine or the host', () => {
    const lines = [...commandLines];
    expect(lines.filter((line) => found(line).length > 0)).toEqual([]);
    expect(lines.some((line) => line.includes(`sleep 3 ${MARKER}`))).toBe(true);
    expect(lines.some((line) => line.includes('dist/bundle/main.js'))).toBe(true);
  });

  it('leaks none in any column of any table', async () => {
    expect((await searchableColumns(database)).length).toBeGreaterThan(80);
    const seed = canaries.get('SSH private key') as Buffer;
    const needles = [...[...canaries.values()].flatMap(formsOf), seed, TEST_MASTER_KEY.key];
    expect(await findInDatabase(database, needles)).toEqual([]);
    expect(await placesOf(database, MARKER)).toEqual(
      expect.arrayContaining([
        'public.environments.name',
        'public.executions.snapshot',
        'public.output_chunks.data',
        'public.audit_entries.after',
        'public.idempotency_keys.response',
      ]),
    );
  });
});
