import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { comparable, type EnvironmentScene, made, makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { newId } from '../../common/ids.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { ServerView } from '../servers.view.js';
import type { BulkServersView } from './bulk-servers.view.js';

interface ProblemBody {
  code: string;
  errors?: { path: string; code: string }[];
  refusals?: { name: string; reason: { code: string } }[];
  moreRefusals?: number;
}

const PATH = '/api/inventory/servers/bulk';

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let live: EnvironmentScene;
let spare: EnvironmentScene;
let guarded: EnvironmentScene;
let isolatedScene: EnvironmentScene;
let serial = 0;
let mark: string;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  live = await makeScene(admin.api, { name: 'live', hostname: 'live.internal' });
  spare = await makeScene(admin.api, { name: 'spare', hostname: 'spare.internal', keyId: live.keyId });
  guarded = await makeScene(admin.api, {
    ...{ name: 'guarded', hostname: 'guarded.internal', keyId: live.keyId },
    environment: { protected: true },
  });
  isolatedScene = await makeScene(admin.api, {
    ...{ name: 'walled', hostname: 'walled.internal', keyId: live.keyId },
    environment: { access: 'restricted' },
  });
});
afterAll(() => runward.close());
beforeEach(() => {
  mark = `m${++serial}`;
});

const add = (name: string, more: object = {}, environmentId = live.environmentId): Promise<string> =>
  made(
    admin.api.post('/api/inventory/servers', {
      ...{ name: `${mark}-${name}`, hostname: `${mark}-${name}.internal`, username: 'deploy' },
      ...{ sshKeyId: live.keyId, environmentId, tags: { mark } },
      ...more,
    }),
  );
const view = async (id: string): Promise<ServerView> =>
  (await admin.api.get<ServerView>(`/api/inventory/servers/${id}`)).body;
const send = (body: object, by = admin, query = '') => by.api.post<BulkServersView & ProblemBody>(PATH + query, body);
const marked = (expectedCount: number) => ({ filter: { selector: `mark=${mark}` }, expectedCount });
const auditOf = async (resourceId: string) =>
  (
    await admin.api.get<{ items: { action: string; before: ServerView | null; after: ServerView | null }[] }>(
      `/api/audit-logs?resourceId=${resourceId}`,
    )
  ).body.items;

describe('a bulk change of servers', () => {
  it('adds and removes tags of all that match the filter, each with its own audit entry', async () => {
    const ids = [await add('a', { tags: { mark, old: 'x', keep: 'y' } }), await add('b')];
    const order = { ...marked(2), action: 'change', addTags: { role: 'web' }, removeTags: ['old'] };
    const shown = await send(order, admin, '?preview=true');
    expect(shown.body).toMatchObject({ preview: true, matched: 2, changed: 2, unchanged: 0, refused: 0, moreItems: 0 });
    expect(shown.body.items[0]).toMatchObject({
      name: `${mark}-a`,
      outcome: 'change',
      changes: [{ field: 'tags', before: `keep=y, mark=${mark}, old=x`, after: `keep=y, mark=${mark}, role=web` }],
    });
    expect((await view(ids[0] ?? '')).tags).toEqual({ mark, old: 'x', keep: 'y' });
    expect(await send(order)).toMatchObject({ status: 200, body: { preview: false, changed: 2 } });
    expect((await view(ids[0] ?? '')).tags).toEqual({ mark, keep: 'y', role: 'web' });
    const [entry] = await auditOf(ids[1] ?? '');
    expect(entry).toMatchObject({
      action: 'server.update',
      before: { tags: { mark }, version: 1 },
      after: { tags: { mark, role: 'web' }, version: 2 },
    });
    const found = await admin.api.get<{ items: object[] }>(`/api/inventory/servers?selector=mark=${mark},role=web`);
    expect(found.body.items).toHaveLength(2);
  });

  it('allows legacy algorithms and forbids them again, each with its own audit entry', async () => {
    const id = await add('a');
    for (const legacyAlgorithms of [true, false]) {
      const { body } = await send({ serverIds: [id], action: 'change', legacyAlgorithms });
      const [before, after] = legacyAlgorithms ? ['no', 'yes'] : ['yes', 'no'];
      expect(body.items[0]).toMatchObject({ changes: [{ field: 'legacyAlgorithms', before, after }] });
      expect((await view(id)).legacyAlgorithms).toBe(legacyAlgorithms);
      const [entry] = await auditOf(id);
      expect(entry).toMatchObject({ before: { legacyAlgorithms: !legacyAlgorithms }, after: { legacyAlgorithms } });
    }
  });

  it('sets login timeouts and resets them, each with its own audit entry', async () => {
    const id = await add('a');
    for (const [before, after] of [
      [null, 60],
      [60, null],
    ] as const) {
      const { body } = await send({ serverIds: [id], action: 'change', loginTimeoutSeconds: after });
      const text = (seconds: number | null) => (seconds === null ? null : `${seconds} s`);
      expect(body.items[0]).toMatchObject({
        changes: [{ field: 'loginTimeoutSeconds', before: text(before), after: text(after) }],
      });
      expect((await view(id)).loginTimeoutSeconds).toBe(after);
      const [entry] = await auditOf(id);
      expect(entry).toMatchObject({ before: { loginTimeoutSeconds: before }, after: { loginTimeoutSeconds: after } });
    }
  });

  it('writes nothing where nothing differs', async () => {
    const id = await add('a');
    const order = { serverIds: [id, id.toUpperCase()], action: 'change', enabled: false, addTags: { role: 'db' } };
    expect((await send(order)).body).toMatchObject({ matched: 1, changed: 1 });
    expect((await send(order)).body).toMatchObject({ matched: 1, changed: 0, unchanged: 1 });
    expect(await view(id)).toMatchObject({ enabled: false, version: 2 });
    expect(await auditOf(id)).toHaveLength(2);
  });

  it('is refused when the number of matching servers differs from the expected one', async () => {
    const id = await add('a');
    for (const expectedCount of [0, 2]) {
      const answer = await send({ ...marked(expectedCount), action: 'delete' });
      expect([answer.status, answer.body.code]).toEqual([409, 'count_changed']);
    }
    expect(await view(id)).toMatchObject({ version: 1 });
  });

  it.each([
    [{ action: 'change', enabled: true }, '/serverIds', 'required'],
    [{ action: 'change', enabled: true, filter: {} }, '/expectedCount', 'required'],
    [{ action: 'change', enabled: true, filter: {}, serverIds: [], expectedCount: 0 }, '/filter', 'conflicting_fields'],
    [{ action: 'change', serverIds: [] }, '/action', 'required'],
    [{ action: 'delete', serverIds: [], enabled: true }, '/enabled', 'not_applicable'],
    [
      { action: 'change', serverIds: [], addTags: { a: 'b' }, removeTags: ['x', 'a'] },
      '/removeTags/1',
      'conflicting_fields',
    ],
    [
      { action: 'change', enabled: true, filter: { selector: '=' }, expectedCount: 0 },
      '/filter/selector',
      'invalid_selector',
    ],
    [
      { action: 'change', enabled: true, filter: { state: ['gone'] }, expectedCount: 0 },
      '/filter/state',
      'not_allowed_value',
    ],
  ])('is refused when its body contradicts itself: %j', async (body, path, code) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path, code }] } });
  });

  it('accepts as many ids as servers, and names the first unknown one', async () => {
    const ids = Array.from({ length: 10_000 }, () => newId());
    const id = await add('a');
    const answer = await send({ serverIds: [id, ...ids.slice(1)], action: 'change', enabled: true });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', errors: [{ path: '/serverIds/1' }] } });
    expect((await send({ serverIds: [], action: 'change', enabled: true })).body).toMatchObject({ matched: 0 });
  });
});

describe('servers that cannot be changed', () => {
  it('stop the whole change, and are named; with `partial` the remaining ones are changed', async () => {
    const twin = { hostname: `${mark}.twin`, port: 2200 };
    await add('twin', { ...twin, tags: {} }, spare.environmentId);
    const [double, free] = [await add('double', twin), await add('free')];
    const order = { ...marked(2), action: 'change', environmentId: spare.environmentId };
    const answer = await send(order);
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({
      code: 'servers_refused',
      refusals: [{ serverId: double, name: `${mark}-double`, reason: { code: 'duplicate_address' } }],
      moreRefusals: 0,
    });
    expect((await view(free)).environmentId).toBe(live.environmentId);
    const preview = await send(order, admin, '?preview=true');
    expect(preview.body).toMatchObject({
      refused: 1,
      changed: 1,
      items: [{ outcome: 'refuse' }, { outcome: 'change' }],
    });
    expect((await send({ ...order, partial: true })).body).toMatchObject({ changed: 1, refused: 1 });
    expect((await view(free)).environmentId).toBe(spare.environmentId);
    expect((await view(double)).environmentId).toBe(live.environmentId);
  });

  it('include the second of two that are one machine and would be in one environment', async () => {
    const twin = { hostname: `${mark}.meet` };
    const ids = [await add('one', twin), await add('other', twin, guarded.environmentId)];
    const order = { serverIds: ids, action: 'change', environmentId: spare.environmentId };
    const answer = await send(order);
    expect(answer.body.refusals).toMatchObject([{ name: `${mark}-other`, reason: { code: 'duplicate_address' } }]);
  });

  it('include those that leave a protected environment without an approver of it', async () => {
    const id = await add('a', {}, guarded.environmentId);
    for (const what of [
      { action: 'delete' },
      { action: 'change', environmentId: spare.environmentId },
      { action: 'change', legacyAlgorithms: true },
    ]) {
      const answer = await send({ serverIds: [id], ...what }, operator);
      expect(answer.body.refusals).toMatchObject([{ reason: { code: 'grant_required' } }]);
    }
    expect((await send({ serverIds: [id], action: 'change', addTags: { a: 'b' } }, operator)).status).toBe(200);
  });

  it('include those whose host key stays in a protected environment, but not when all of them leave', async () => {
    const { publicKey } = await generateKeyPair({ type: 'ed25519' });
    const hostKey = { publicKey };
    const [one, other] = [
      await add('one', { hostKey }, guarded.environmentId),
      await add('other', { hostKey }, guarded.environmentId),
    ];
    const move = { action: 'change', environmentId: spare.environmentId };
    expect((await send({ serverIds: [one], ...move })).body.refusals).toMatchObject([
      { reason: { code: 'protected_host' } },
    ]);
    expect((await send({ serverIds: [one, other], ...move })).body).toMatchObject({ changed: 2 });
  });

  it('include those in open runs when they are to be deleted', async () => {
    const id = await add('busy');
    const untouchedServerId = await add('idle');
    const plan = { name: `${mark} plan`, environmentId: live.environmentId, targets: `name=${mark}-busy` };
    const planId = await made(admin.api.post('/api/plans', { ...plan, steps: [{ key: 'a', command: 'true' }] }));
    await made(admin.api.post('/api/executions', { planId, execution_mode: 'auto' }));
    const answer = await send({ ...marked(2), action: 'delete' });
    expect(answer.body.refusals).toMatchObject([{ name: `${mark}-busy`, reason: { code: 'in_use' } }]);
    expect((await send({ ...marked(2), action: 'delete', partial: true })).body).toMatchObject({ changed: 1 });
    expect((await admin.api.get(`/api/inventory/servers/${untouchedServerId}`)).status).toBe(404);
    expect((await auditOf(untouchedServerId))[0]).toMatchObject({
      action: 'server.delete',
      before: { name: `${mark}-idle` },
    });
    expect((await view(id)).name).toBe(`${mark}-busy`);
  });

  it('include those that would get too many tags', async () => {
    const many = (letter: string) => Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${letter}${n}`, 'x']));
    const id = await add('a', { tags: many('a') });
    const answer = await send({ serverIds: [id], action: 'change', addTags: many('b') });
    expect(answer.body.refusals).toMatchObject([{ reason: { code: 'too_many_tags' } }]);
  });
});

describe('a caller who may not see an environment', () => {
  it('cannot distinguish its servers from missing ones, by id or filter, and moves nothing there', async () => {
    const hidden = await add('hidden', {}, isolatedScene.environmentId);
    const own = await add('own');
    const compare = async (what: (id: string) => object, real: string) => {
      const [there, nowhere] = [await send(what(real), operator), await send(what(newId()), operator)];
      expect(comparable(there)).toEqual(comparable(nowhere));
      expect(there.status).toBe(404);
    };
    await compare((id) => ({ serverIds: [own, id], action: 'delete' }), hidden);
    await compare(
      (id) => ({ filter: { environmentId: id }, expectedCount: 1, action: 'delete' }),
      isolatedScene.environmentId,
    );
    await compare((id) => ({ serverIds: [own], action: 'change', environmentId: id }), isolatedScene.environmentId);
    expect((await send({ ...marked(1), action: 'change', addTags: { seen: 'yes' } }, operator)).body.matched).toBe(1);
    expect((await view(hidden)).tags).toEqual({ mark });
  });

  it('gets the refusal of a grant that is too low for each server', async () => {
    const path = `/api/environments/${isolatedScene.environmentId}/grants/${operator.userId}`;
    await admin.api.put(path, { level: 'view' });
    const ids = [await add('hidden', {}, isolatedScene.environmentId), await add('own')];
    const answer = await send({ serverIds: ids, action: 'change', enabled: false }, operator);
    expect(answer.body.refusals).toMatchObject([{ name: `${mark}-hidden`, reason: { code: 'grant_required' } }]);
    await admin.api.delete(path);
  });
});

describe('thousands of servers', () => {
  const MANY = 10_000;

  it('are changed by one request, while other requests are served, and deleted by another', async () => {
    await queryAs(
      runward.database,
      admin.tenantId,
      `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
          select gen_random_uuid(), $1, $2, '${mark}-' || n, '${mark}-' || n || '.internal', 22, 'deploy', $3, '{"mark": "${mark}"}'
          from generate_series(1, $4::int) n`,
      [admin.tenantId, live.environmentId, live.keyId, MANY],
    );
    const order = { ...marked(MANY), action: 'change', addTags: { role: 'web' }, environmentId: spare.environmentId };
    let done = false;
    const change = send(order).finally(() => (done = true));
    let answered = 0;
    while (!done && answered < 20) {
      const { status } = await operator.api.get('/api/inventory/servers?limit=1');
      if (status === 200) answered += 1;
    }
    expect((await change).body).toMatchObject({ matched: MANY, changed: MANY, moreItems: MANY - 100 });
    expect(answered).toBe(20);
    const left = await admin.api.get<{ items: object[] }>(
      `/api/inventory/servers?selector=mark=${mark},role=web&environmentId=${spare.environmentId}&limit=1`,
    );
    expect(left.body.items).toHaveLength(1);
    expect((await send({ ...order, filter: { q: `${mark}-` } })).body).toMatchObject({ unchanged: MANY, changed: 0 });
    const gone = await send({ ...marked(MANY), action: 'delete' });
    expect(gone.body).toMatchObject({ changed: MANY });
    expect(await admin.api.get('/api/audit-logs/verify')).toMatchObject({ body: { intact: true } });
  }, 180_000);

  it('are refused beyond the limit of one request', async () => {
    await queryAs(
      runward.database,
      admin.tenantId,
      `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
        select gen_random_uuid(), $1, $2, '${mark}-' || n, '${mark}-' || n || '.internal', 22, 'deploy', $3, '{"mark": "${mark}"}'
        from generate_series(1, $4::int) n`,
      [admin.tenantId, spare.environmentId, live.keyId, MANY + 1],
    );
    const answer = await send({ ...marked(MANY), action: 'change', enabled: false });
    expect([answer.status, answer.body.code]).toEqual([409, 'too_many_servers']);
  });
});

describe('a bulk change and a single change at the same time', () => {
  it('are serialised: neither loses what the other wrote, and a stale version is refused', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => add(name)));
    const [first = ''] = ids;
    const [many, one] = await Promise.all([
      send({ serverIds: ids, action: 'change', addTags: { bulk: 'yes' } }),
      admin.api.patch(`/api/inventory/servers/${first}`, { username: 'root' }),
    ]);
    expect([many.status, one.status]).toEqual([200, 200]);
    expect(await view(first)).toMatchObject({ username: 'root', tags: { mark, bulk: 'yes' }, version: 3 });
    const stale = await admin.api.patch(`/api/inventory/servers/${first}`, { username: 'x' }, { 'if-match': '"1"' });
    expect(stale.status).toBe(412);
  });

  it('are refused when another bulk change is running', async () => {
    const ids = await Promise.all(['a', 'b'].map((name) => add(name)));
    const body = { serverIds: ids, action: 'change', addTags: { bulk: 'yes' } };
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(body)));
    for (const { status, body: result } of answers) expect([200, 429]).toContain(result.code ? status : 200);
    const refusedOnes = answers.filter(({ status }) => status === 429);
    for (const { body: told, headers } of refusedOnes)
      expect([told.code, headers.get('retry-after')]).toEqual(['too_many_at_once', '3']);
    expect((await view(ids[0] ?? '')).version).toBe(2);
  });
});
