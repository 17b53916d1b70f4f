import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene } from '../../../test/support/environment-scene.js';
import {
  type Installation,
  startInstallation,
  type TestMember,
  type TestWorker,
} from '../../../test/support/installation.js';
import type { ServerView } from '../servers.view.js';
import type { ServerVariableView } from '../variables/server-variables.view.js';
import type { ImportEntryView, ImportView } from './orders/import.view.js';

const SECRET_CANARY = 'canary-of-an-inventory-4d';

let runward: Installation;
let worker: TestWorker;
let admin: TestMember;
let scene: EnvironmentScene;
beforeAll(async () => {
  runward = await startInstallation();
  worker = await runward.worker();
  admin = await runward.tenant('acme');
  scene = await makeScene(admin.api, { name: 'live', hostname: 'db.internal', port: 22 });
  await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
});
afterAll(async () => {
  await worker.stop();
  await runward.close();
});

const ask = (format: string, content: string | object, query = '') =>
  admin.api.post<ImportView>(`/api/inventory/servers/import?wait=50${query}`, {
    format,
    content: typeof content === 'string' ? content : JSON.stringify(content),
    environmentId: scene.environmentId,
    sshKeyId: scene.keyId,
    username: 'deploy',
  });
const entriesOf = async ({ body: { id } }: { body: { id: string } }) =>
  (await admin.api.get<{ items: ImportEntryView[] }>(`/api/inventory/imports/${id}/entries?limit=200`)).body.items;
const idOf = async (name: string) =>
  (await admin.api.get<{ items: ServerView[] }>(`/api/inventory/servers?name=${name}`)).body.items[0]?.id ?? '';
const pathOf = async (name: string) => `/api/inventory/servers/${await idOf(name)}/variables`;
const variablesOf = async (name: string) => {
  const { body } = await admin.api.get<{ items: ServerVariableView[] }>(await pathOf(name));
  return Object.fromEntries(body.items.map(({ key, value }) => [key, value]));
};
const reasonsOf = ({ body }: { body: ImportView }) =>
  Object.fromEntries(body.notCarried.map(({ what, reason, places }) => [what, `${places}: ${reason.text}`]));
const written = async () =>
  JSON.stringify(await runward.database.query('select xmin::text, id from server_variables order by id'));

const YAML = (rack: string) => `
all:
  vars: { ntp: time.internal, level: far, db_password: ${SECRET_CANARY} }
  children:
    web:
      vars: { level: near, ports: [80, 443], tls: true, share: 0.5, nested: { a: 1 } }
      hosts:
        y-1: { rack: ${rack}, level: nearest, PATH: /tmp }
        y-2: { kept: !vault "abc", ansible_host: 10.9.0.2, word: "12" }
`;

describe('an import', () => {
  it('keeps the variables of hosts and of their groups with their types, the nearest one first', async () => {
    const answer = await ask('ansible-yaml', YAML('r7'));
    expect(answer.body).toMatchObject({ status: 'succeeded', counts: { create: 2 } });
    expect(await variablesOf('y-1')).toEqual({
      ...{ ntp: 'time.internal', level: 'nearest', ports: [80, 443], tls: true, share: 0.5, rack: 'r7' },
    });
    expect(await variablesOf('y-2')).toMatchObject({ level: 'near', word: '12' });
    expect((await admin.api.get<ServerVariableView>(`${await pathOf('y-1')}/share`)).body).toMatchObject({
      type: 'number',
      secret: false,
      version: 1,
    });
  });

  it('lists with the reason what it does not import, and repeats and stores no secret', async () => {
    const answer = await ask('ansible-yaml', YAML('r7'));
    expect(reasonsOf(answer)).toMatchObject({
      db_password: expect.stringContaining('Its name marks it as a secret'),
      nested: expect.stringContaining('nested'),
      kept: expect.stringContaining('Ansible Vault'),
      PATH: expect.stringContaining('controls the shell'),
    });
    const json = await ask('json', [
      { name: 'j-1', hostname: '10.9.1.1', variables: { API_TOKEN: SECRET_CANARY, runward_id: 'x', N: 1 } },
      { name: 'j-2', hostname: '10.9.1.2', variables: { API_TOKEN: SECRET_CANARY } },
    ]);
    expect(reasonsOf(json)).toMatchObject({
      API_TOKEN: expect.stringMatching(/^2: Its name/),
      runward_id: expect.stringContaining('Runward reserves'),
    });
    expect(await variablesOf('j-1')).toEqual({ N: 1 });
    const [kept] = await runward.database.query<{ text: string }>(
      `select (select string_agg(e::text, '') from inventory_import_entries e) || (select string_agg(i::text, '') from inventory_imports i) as text`,
    );
    expect((kept?.text ?? SECRET_CANARY) + answer.text + json.text).not.toContain(SECRET_CANARY);
  });

  it('writes nothing where nothing differs, and lists changed fields', async () => {
    const before = await written();
    const again = await ask('ansible-yaml', YAML('r7'));
    expect(again.body.counts).toMatchObject({ leave: 2, change: 0 });
    expect(await written()).toBe(before);
    const preview = await ask('ansible-yaml', YAML('r8'), '&preview=true');
    expect(await entriesOf(preview)).toMatchObject([
      { name: 'y-1', action: 'change', changes: [{ field: 'variable rack', before: 'r7', after: 'r8' }] },
      { name: 'y-2', action: 'leave', changes: [] },
    ]);
    expect(await written()).toBe(before);
    const applied = await admin.api.post<ImportView>(`/api/inventory/imports/${preview.body.id}/apply?wait=50`, {});
    expect(applied.body).toMatchObject({ status: 'succeeded', counts: { change: 1 } });
    expect(await variablesOf('y-1')).toMatchObject({ rack: 'r8' });
    const trail = await admin.api.get<{ items: { before: object; after: object }[] }>(
      `/api/audit-logs?resourceId=${await idOf('y-1')}`,
    );
    expect(trail.body.items[0]).toMatchObject({
      before: { variables: { rack: 'r7' } },
      after: { variables: { rack: 'r8' } },
    });
  });

  it('does not change what the text does not name, or what is secret on the server', async () => {
    const path = await pathOf('y-1');
    await admin.api.put(`${path}/by_hand`, { value: 1 });
    await admin.api.put(`${path}/rack`, { value: SECRET_CANARY, secret: true });
    const answer = await ask('ansible-yaml', YAML('r9'));
    expect(answer.body.counts).toMatchObject({ leave: 2 });
    expect(await variablesOf('y-1')).toMatchObject({ by_hand: 1, rack: null });
  });

  it('is rejected with the server that would have too many or too large variables', async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`M_${n}`, n]));
    await ask('json', [{ name: 'm-1', hostname: '10.9.2.1', variables: many }]);
    const more = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`N_${n}`, n]));
    const refused = await ask('json', [{ name: 'm-1', hostname: '10.9.2.1', variables: more }]);
    expect(refused.body).toMatchObject({
      status: 'failed',
      faults: [{ entry: 'm-1', reason: { code: 'too_many_variables' } }],
    });
    const large = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`L_${n}`, 'x'.repeat(9000)]));
    const tooLarge = await ask('json', [{ name: 'l-1', hostname: '10.9.2.2', variables: large }]);
    expect(tooLarge.body).toMatchObject({
      status: 'failed',
      faults: [{ entry: 'l-1', reason: { code: 'variables_too_large' } }],
    });
  });
});

describe('an export', () => {
  it('contains the variables in a form that can be imported again, with the names of secrets only', async () => {
    const { text } = await admin.api.get('/api/inventory/servers/export?format=json');
    const list = JSON.parse(text) as { name: string }[];
    expect(list.find(({ name }) => name === 'y-1')).toMatchObject({
      variables: { level: 'nearest', ports: [80, 443], by_hand: 1 },
      secretVariables: ['rack'],
    });
    expect(text).not.toContain(SECRET_CANARY);
    const again = await ask('json', text, '&preview=true');
    expect(again.body).toMatchObject({ status: 'succeeded', counts: { change: 0, create: 0 } });
    expect(reasonsOf(again)).toMatchObject({ rack: expect.stringContaining('It is secret') });
  });

  it('contains for Ansible no text that Ansible would evaluate', async () => {
    const path = await pathOf('y-2');
    await admin.api.put(`${path}/evil`, { value: ["{{ lookup('pipe', 'id') }}"] });
    await admin.api.put(`${path}/ansible_ssh_common_args`, { value: '-o ProxyCommand=id' });
    const { text } = await admin.api.get('/api/inventory/servers/export?format=ansible-json');
    const { hostvars } = (JSON.parse(text) as { _meta: { hostvars: Record<string, object> } })._meta;
    expect(hostvars['y-2']).toMatchObject({
      ...{ word: '12', tls: true, ansible_host: '10.9.0.2' },
      runward_left_out_variables: ['ansible_ssh_common_args', 'evil'],
    });
    expect(hostvars['y-1']).toMatchObject({ runward_secret_variables: ['rack'], by_hand: 1 });
    expect(text).not.toMatch(/lookup|ProxyCommand|canary/);
  });
});

describe('a server that is identified by an external id', () => {
  const put = (variables: object) =>
    admin.api.put<ServerView & { errors: { path: string; code: string }[]; code: string }>(
      '/api/inventory/servers/by-external-id/cmdb/v-1',
      {
        name: 'v-1',
        hostname: '10.9.3.1',
        username: 'deploy',
        sshKeyId: scene.keyId,
        environmentId: scene.environmentId,
        variables,
      },
    );

  it('gets the named variables once, and keeps other ones', async () => {
    expect((await put({ A: 1, B: ['x'] })).status).toBe(201);
    const before = await written();
    expect((await put({ A: 1 })).status).toBe(200);
    expect(await written()).toBe(before);
    expect((await put({ A: 2 })).body).not.toHaveProperty('variables');
    expect(await variablesOf('v-1')).toEqual({ A: 2, B: ['x'] });
    const trail = await admin.api.get<{ items: { action: string; before: object; after: object }[] }>(
      `/api/audit-logs?resourceId=${await idOf('v-1')}`,
    );
    expect(trail.body.items[0]).toMatchObject({ action: 'server.set_variables', before: { A: 1 }, after: { A: 2 } });
  });

  it('is rejected with invalid or secret variables', async () => {
    await admin.api.put(`${await pathOf('v-1')}/HIDDEN`, { value: SECRET_CANARY, secret: true });
    for (const [variables, path] of [
      [{ PATH: '/tmp' }, '/variables/PATH'],
      [{ DB_PASSWORD: SECRET_CANARY }, '/variables/DB_PASSWORD'],
      [{ HIDDEN: 'plain' }, '/variables/HIDDEN'],
      [{ TOO_LONG: 'x'.repeat(40_000) }, '/variables/TOO_LONG'],
    ] as const) {
      const refused = await put(variables);
      expect([refused.status, refused.body.errors.map((each) => each.path)]).toEqual([400, [path]]);
    }
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`M_${n}`, n]));
    expect((await put(many)).body.code).toBe('too_many_variables');
    const large = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`L_${n}`, 'x'.repeat(30_000)]));
    expect((await put(large)).body.code).toBe('variables_too_large');
    expect(Object.keys(await variablesOf('v-1')).sort()).toEqual(['A', 'B', 'HIDDEN']);
  });
});
