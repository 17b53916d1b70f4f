import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findInDatabase, formsOf, placesOf, searchableColumns } from '../../../test/support/canaries.js';
import { type EnvironmentScene, made, makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';

/** Secrets that must appear only on the host. */
const DECLARED_CANARY = 'canary-declared-7f3a91c2';
const EXPORTED_CANARY = 'canary-exported-55d0e8b4';
const START_CANARY = 'canary-given-at-start-0c9e';
const CANARIES = [DECLARED_CANARY, EXPORTED_CANARY, START_CANARY];
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Prints hashes of the secrets as a control, then tries every known leak. */
const COMMAND = [
  'for v in "$API_KEY" "$DB_PASSWORD" "$ONE_TIME"; do printf %s "$v" | sha256sum | cut -c1-64; done',
  'echo "plain $API_KEY $DB_PASSWORD $ONE_TIME"',
  'echo {{ API_KEY }} >&2',
  'printf %s "$DB_PASSWORD" | base64',
  'printf %s "$DB_PASSWORD" | cut -c1-9 | tr -d "\\n"; sleep 0.3; printf %s "$DB_PASSWORD" | cut -c10-',
  'echo "region $REGION" workers {{ WORKERS }} mode {{ MODE }} "tier $TIER"',
].join('\n');

let hosts: SshHosts;
let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let scene: EnvironmentScene;
let runId: string;
const spokenTexts: string[] = [];

const variables = (key = '') => `/api/environments/${scene.environmentId}/variables${key && `/${key}`}`;

beforeAll(async () => {
  hosts = await startSshHosts();
  runward = await startInstallation();
  await runward.worker();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  const keyId = await made(admin.api.post('/api/ssh-keys', { name: 'hosts', privateKey: hosts.key.privateKey }));
  const { hostKey, port, user, addresses } = hosts.sshd;
  scene = await makeScene(admin.api, {
    name: 'secretive',
    environment: { access: 'restricted' },
    keyId,
    hostname: addresses[0],
    port,
    username: user,
    hostKey: { publicKey: `${hostKey.type} ${hostKey.publicKey}` },
    plan: {
      variables: [
        { name: 'API_KEY', type: 'secret', required: true },
        { name: 'ONE_TIME', type: 'secret' },
        { name: 'WORKERS', type: 'integer', default: 1 },
        { name: 'MODE', type: 'string', default: 'from plan' },
        { name: 'TIER', type: 'string', default: 'from plan' },
      ],
      steps: [{ key: 'use', command: COMMAND }],
    },
  });
  await admin.api.put(`/api/environments/${scene.environmentId}/grants/${operator.userId}`, { level: 'run' });
  for (const [key, body] of [
    ['API_KEY', { value: DECLARED_CANARY, secret: true }],
    ['DB_PASSWORD', { value: EXPORTED_CANARY, type: 'secret' }],
    ['REGION', { value: 'eu north' }],
    ['WORKERS', { value: 4 }],
    ['MODE', { value: 'from environment' }],
  ] as const) {
    const answer = await operator.api.put(variables(key), body);
    expect(answer.status).toBe(200);
    spokenTexts.push(answer.text);
  }
});
afterAll(async () => {
  await runward.close();
  await hosts.stop();
});

describe('environment variables', () => {
  it('are returned as saved; secret ones as null with author and time', async () => {
    const list = await operator.api.get<{ items: { key: string }[] }>(variables());
    expect(list.body.items).toMatchObject([
      { key: 'API_KEY', value: null, secret: true, type: 'secret', updatedBy: { id: operator.userId }, version: 1 },
      { key: 'DB_PASSWORD', value: null, secret: true, type: 'secret' },
      { key: 'MODE', value: 'from environment', secret: false, type: 'string' },
      { key: 'REGION', value: 'eu north' },
      { key: 'WORKERS', value: 4, type: 'integer' },
    ]);
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { body: { items: { key: string }[]; nextCursor: string | null }; text: string } =
        await operator.api.get(`${variables()}?limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(...page.body.items.map(({ key }) => key));
      cursor = page.body.nextCursor;
      spokenTexts.push(page.text);
    }
    expect(pages).toEqual(list.body.items.map(({ key }) => key));
    spokenTexts.push(list.text, (await operator.api.get(variables('API_KEY'))).text);
  });

  it('are listed for a plan with their source, including exported ones', async () => {
    const shown = await operator.api.get<{ items: object[] }>(`/api/plans/${scene.planId}/variables`);
    expect(shown.body.items).toMatchObject([
      { name: 'API_KEY', value: null, secret: true, source: 'environment', reason: null },
      { name: 'ONE_TIME', value: null, secret: true, source: null },
      { name: 'WORKERS', value: 4, source: 'environment' },
      { name: 'MODE', value: 'from environment', source: 'environment' },
      { name: 'TIER', value: 'from plan', source: 'plan' },
      { name: 'DB_PASSWORD', declared: false, value: null, secret: true },
      { name: 'REGION', declared: false, value: 'eu north' },
    ]);
    spokenTexts.push(shown.text);
  });

  it('do not expose secrets to patterns in a plan that the member can only view', async () => {
    const shown = async (pattern: string) => {
      const planId = await made(
        operator.api.post('/api/plans', {
          name: `guess ${pattern}`,
          variables: [{ name: 'API_KEY', type: 'secret', pattern }],
          steps: [{ key: 'a', command: 'true' }],
        }),
      );
      const { body } = await operator.api.get<{ items: { name: string }[] }>(
        `/api/plans/${planId}/variables?environmentId=${scene.environmentId}`,
      );
      return body.items.filter(({ name }) => name === 'API_KEY');
    };
    expect(await shown('canary.*')).toEqual(await shown('x.*'));
  });

  it('refuse a start with an invalid secret without exposing it', async () => {
    const planId = await made(
      operator.api.post('/api/plans', {
        name: 'wants a number',
        environmentId: scene.environmentId,
        variables: [
          { name: 'API_KEY', type: 'integer' },
          { name: 'DB_PASSWORD', type: 'choice', choices: ['canary-exported-55d0e8b5'] },
        ],
        steps: [{ key: 'a', command: 'true' }],
      }),
    );
    const refused = await operator.api.post<{ errors: { path: string }[] }>('/api/executions', {
      planId,
      execution_mode: 'auto',
    });
    expect([refused.status, refused.body.errors.map(({ path }) => path)]).toEqual([
      400,
      ['/variables/API_KEY', '/variables/DB_PASSWORD'],
    ]);
    expect(refused.text).not.toMatch(/Did you mean/);
    spokenTexts.push(refused.text);
  });

  it('refuse bad names, types and versions', async () => {
    for (const name of ['PATH', 'LD_PRELOAD', '1A', 'a%00b'])
      expect((await operator.api.put(variables(name), { value: 'x' })).status).toBe(400);
    for (const body of [
      {},
      { value: null },
      { value: {} },
      { value: 'x', kind: 'y' },
      { value: 'x', type: 'choice' },
    ]) {
      expect((await operator.api.put(variables('OK'), body)).status).toBe(400);
    }
    expect((await operator.api.get(variables('a%00b'))).status).toBe(404);
    expect((await operator.api.put(variables('NEW'), { value: 'x' }, { 'if-match': '"1"' })).status).toBe(412);
    const bad = await operator.api.put(variables('API_KEY'), {
      value: [DECLARED_CANARY, '\0'],
      secret: true,
      type: 'secret',
    });
    expect(bad.status).toBe(400);
    spokenTexts.push(bad.text);
  });

  it('reach the command: start overrides environment, environment overrides plan', async () => {
    const started = await operator.api.post<{ id: string }>('/api/executions', {
      planId: scene.planId,
      execution_mode: 'auto',
      variables: { ONE_TIME: START_CANARY, MODE: 'from start' },
    });
    expect(started.status).toBe(201);
    runId = started.body.id;
    const stream = fetch(`${runward.url}/api/executions/${runId}/stream`, {
      headers: { authorization: `Bearer ${operator.token}` },
    });
    const settled = await operator.api.get<{ status: string }>(`/api/executions/${runId}?wait=30`);
    expect(settled.body).toMatchObject({
      status: 'SUCCEEDED',
      variables: {
        API_KEY: '‹secret API_KEY›',
        DB_PASSWORD: '‹secret DB_PASSWORD›',
        ONE_TIME: '‹secret ONE_TIME›',
        REGION: 'eu north',
      },
    });
    const output = await operator.api.get<{ items: { text: string; stream: string }[] }>(
      `/api/executions/${runId}/output`,
    );
    const lines = output.body.items.filter((line) => line.stream === 'stdout').map(({ text }) => text);
    expect(lines.slice(0, 3)).toEqual([sha256(DECLARED_CANARY), sha256(EXPORTED_CANARY), sha256(START_CANARY)]);
    expect(lines[3]).toBe('plain ‹secret API_KEY› ‹secret DB_PASSWORD› ‹secret ONE_TIME›');
    expect(lines.at(-1)).toBe('region eu north workers 4 mode from start tier from plan');
    spokenTexts.push(started.text, settled.text, output.text, await (await stream).text());
    spokenTexts.push((await operator.api.get(`/api/executions/${runId}/output`, { accept: 'text/plain' })).text);
    for (const path of [
      `/api/executions/${runId}/results`,
      '/api/executions',
      '/api/audit-logs',
      '/api/environments',
      '/api/plans',
    ]) {
      spokenTexts.push((await admin.api.get(path)).text);
    }
  });

  it('leave no trace of a secret in any response', () => {
    expect(spokenTexts.length).toBeGreaterThan(15);
    expect(spokenTexts.some((text) => text.includes('‹secret DB_PASSWORD›'))).toBe(true);
    expect(
      spokenTexts.filter((text) =>
        CANARIES.some((canary) => formsOf(canary).some((secretForm) => text.includes(secretForm))),
      ),
    ).toEqual([]);
  });

  it('leave no trace of a secret in any column of the database', async () => {
    expect((await searchableColumns(runward.database)).length).toBeGreaterThan(80);
    // Control: a plain value is found in text, JSON and bytes.
    expect(await placesOf(runward.database, 'eu north')).toEqual(
      expect.arrayContaining([
        'public.executions.snapshot',
        'public.output_chunks.data',
        'public.environment_variables.value',
      ]),
    );
    expect(await findInDatabase(runward.database, CANARIES.flatMap(formsOf))).toEqual([]);
  });

  it('can be opened only in the variable and version that they were sealed for', async () => {
    await operator.api.put(variables('SWAP'), { value: 'swap', secret: true });
    await runward.database.query(
      `update environment_variables a set sealed_value = b.sealed_value from environment_variables b where a.key = 'SWAP' and b.key = 'API_KEY'`,
    );
    const moved = await operator.api.post('/api/executions', { planId: scene.planId, execution_mode: 'auto' });
    expect(moved.status).toBe(500);
    expect(moved.text).not.toContain(DECLARED_CANARY);
    expect((await operator.api.delete(variables('SWAP'))).status).toBe(204);
    expect(
      (await operator.api.post<{ id: string }>('/api/executions', { planId: scene.planId, execution_mode: 'auto' }))
        .status,
    ).toBe(201);
  });

  it('are recorded in the audit trail when changed, with plain values shown and secrets hidden', async () => {
    await operator.api.put(variables('REGION'), { value: 'eu south' });
    await operator.api.put(variables('REGION'), { value: 'now-secret', secret: true });
    const trail = await runward.database.query<{ resource_name: string; before: object; after: object }>(
      `select resource_name, before, after from audit_entries where action = 'environment.set_variable' order by id desc limit 2`,
    );
    expect(trail).toMatchObject([
      {
        resource_name: 'secretive / REGION',
        before: { value: 'eu south', secret: false },
        after: { value: null, secret: true },
      },
      { before: { value: 'eu north' }, after: { value: 'eu south' } },
    ]);
    const [start] = await runward.database.query<{ after: { secrets: string[] } }>(
      `select after from audit_entries where action = 'execution.start' and resource_id = $1`,
      [runId],
    );
    expect(start?.after.secrets.sort()).toEqual(['API_KEY', 'DB_PASSWORD', 'ONE_TIME']);
  });
});
