import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EnvironmentScene, makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { generateKeyPair } from '../../transport/keys/key-material.js';
import type { ServerView } from '../servers.view.js';

interface Fault {
  code: string;
  detail: string;
  errors?: { path: string; code: string; message: string }[];
}

const path = (externalId: string, source = 'netbox') =>
  `/api/inventory/servers/by-external-id/${source}/${encodeURIComponent(externalId)}`;

let runward: Installation;
let admin: TestMember;
let operator: TestMember;
let scene: EnvironmentScene;
let numbered = 0;
beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  scene = await makeScene(admin.api, { name: 'live', hostname: 'db.internal', port: 22 });
});
afterAll(() => runward.close());

const machine = (more: object = {}) => {
  numbered += 1;
  return {
    name: `device-${numbered}`,
    hostname: `10.1.${numbered}.1`,
    username: 'deploy',
    sshKeyId: scene.keyId,
    environmentId: scene.environmentId,
    ...more,
  };
};
const put = (externalId: string, body: object, api = operator.api) =>
  api.put<ServerView & Fault>(path(externalId), body);
const entriesOf = async (id: string) =>
  (
    await admin.api.get<{ items: { action: string; before: object; after: object }[] }>(
      `/api/audit-logs?resourceId=${id}`,
    )
  ).body.items;
const writesOf = async (id: string) => {
  const [row] = await runward.database.query<{ xmin: string }>('select xmin::text from servers where id = $1', [id]);
  return row?.xmin;
};

describe('a server with an external ID', () => {
  it('refers to its jump server by external ID or name, and pins all sent host keys', async () => {
    const hop = await put('hop-1', machine());
    const [own, more] = await Promise.all([
      generateKeyPair({ type: 'ed25519', comment: 'host' }),
      generateKeyPair({ type: 'ecdsa', comment: 'host' }),
    ]);
    const hostKeys = [own, more].map(({ publicKey: line }) => ({ publicKey: line }));
    const body = machine({ jumpServer: 'hop-1', hostKeys });
    const made = await put('leaf-1', body);
    expect([made.status, made.body.jumpServerId, made.body.hostKeys.length]).toEqual([201, hop.body.id, 2]);
    const before = await writesOf(made.body.id);
    const byName = { ...body, jumpServer: hop.body.name.toUpperCase(), hostKeys: hostKeys.toReversed() };
    for (const same of [body, byName]) expect((await put('leaf-1', same)).body.version).toBe(made.body.version);
    expect(await writesOf(made.body.id)).toBe(before);
    expect(await entriesOf(made.body.id)).toHaveLength(1);
    const refused = async (fields: object) => {
      const answer = await put('leaf-1', { ...body, ...fields });
      return [answer.status, answer.body.code];
    };
    expect(await refused({ jumpServer: 'nobody' })).toEqual([404, 'not_found']);
    expect(await refused({ jumpServerId: hop.body.id })).toEqual([400, 'invalid_request']);
    expect(await refused({ jumpServer: 'leaf-1' })).toEqual([409, 'jump_path']);
    const hidden = await admin.api.post<{ id: string }>('/api/environments', {
      name: 'hidden hops',
      access: 'restricted',
    });
    await put('hop-hidden', machine({ environmentId: hidden.body.id }), admin.api);
    expect(await refused({ jumpServer: 'hop-hidden' })).toEqual([404, 'not_found']);
    const directAnswer = await put('leaf-1', { ...body, jumpServer: null, hostKeys: undefined });
    expect([directAnswer.status, directAnswer.body.jumpServerId, directAnswer.body.hostKeys]).toEqual([200, null, []]);
  });

  it('is registered by the first request, and found by ID and by external ID', async () => {
    const body = machine({ tags: { role: 'web' } });
    const answer = await put('rack 7/slot ü', body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ ...body, port: 22, externalSource: 'netbox', externalId: 'rack 7/slot ü' });
    expect(answer.headers.get('location')).toBe(`/api/inventory/servers/${answer.body.id}`);
    expect((await operator.api.get(path('rack 7/slot ü'))).body).toEqual(answer.body);
    expect((await operator.api.get(`/api/inventory/servers/${answer.body.id}`)).body).toEqual(answer.body);
  });

  it('is unchanged when nothing differs: no row is written and nothing is audited', async () => {
    const body = machine({ tags: { b: '2', a: '1' } });
    const first = await put('same', body);
    const [written, entries] = [await writesOf(first.body.id), await entriesOf(first.body.id)];
    for (const again of [body, { ...body, tags: { a: '1', b: '2' }, port: 22, enabled: true }]) {
      const answer = await put('same', again);
      expect([answer.status, answer.body]).toEqual([200, first.body]);
    }
    expect(await writesOf(first.body.id)).toBe(written);
    expect(await entriesOf(first.body.id)).toEqual(entries);
    expect(entries.map(({ action }) => action)).toEqual(['server.create']);
  });

  it('changes only fields that differ, with one audit entry; omitted fields stay', async () => {
    const body = machine({ tags: { role: 'web' }, enabled: false, port: 2200, legacyAlgorithms: true });
    const { body: before } = await put('changing', body);
    const {
      tags: _,
      enabled: __,
      port: ___,
      legacyAlgorithms: ____,
      ...rest
    } = body as typeof body & Record<string, unknown>;
    const answer = await put('changing', { ...rest, name: `${body.name}-new`, username: 'root' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id: before.id,
      name: `${body.name}-new`,
      username: 'root',
      tags: { role: 'web' },
      enabled: false,
      legacyAlgorithms: true,
      port: 2200,
      version: 2,
    });
    const [entry, ...older] = await entriesOf(before.id);
    expect(entry).toMatchObject({
      action: 'server.update',
      before: { username: 'deploy' },
      after: { username: 'root' },
    });
    expect(older).toHaveLength(1);
  });

  it('loses its pinned host key when its address changes, unless the request sends a key', async () => {
    const key = async () => {
      const { publicKey } = await generateKeyPair({ type: 'ed25519' });
      return { publicKey };
    };
    const [one, two] = [await key(), await key()];
    const body = machine({ hostKey: one });
    const first = await put('moving', body);
    expect(first.body.hostKey).not.toBeNull();
    const { hostKey: _, ...rest } = body as typeof body & Record<string, unknown>;
    const moved = await put('moving', { ...rest, hostname: '10.200.0.1' });
    expect(moved.body.hostKey).toBeNull();
    const pinned = await put('moving', { ...rest, hostname: '10.200.0.1', hostKey: two });
    expect(pinned.body.hostKey?.fingerprint).not.toBe(first.body.hostKey?.fingerprint);
    const again = await put('moving', { ...rest, hostname: '10.200.0.2', hostKey: two });
    expect(again.body.hostKey?.fingerprint).toBe(pinned.body.hostKey?.fingerprint);
    expect((await put('moving', { ...rest, hostname: '10.200.0.2', hostKey: two })).body.version).toBe(
      again.body.version,
    );
  });

  it('is registered once by twenty concurrent requests', async () => {
    const body = machine();
    const answers = await Promise.all(Array.from({ length: 20 }, () => put('raced', body)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect(new Set(answers.map(({ body: { id } }) => id)).size).toBe(1);
    const [first] = answers;
    expect(await entriesOf(first?.body.id ?? '')).toHaveLength(1);
  });

  it('is a different server for another source or another tenant', async () => {
    const body = machine();
    const first = await put('twin', body);
    const second = await operator.api.put<ServerView>(path('twin', 'terraform'), machine());
    expect([first.status, second.status]).toEqual([201, 201]);
    const stranger = await runward.tenant();
    expect((await stranger.api.get(path('twin'))).status).toBe(404);
  });

  it('is hidden from callers who cannot see its environment, and cannot be moved out of it', async () => {
    const hidden = await makeScene(admin.api, { name: 'hidden', hostname: 'hidden.internal', port: 22 });
    const body = machine();
    expect((await put('secret', { ...body, environmentId: hidden.environmentId }, admin.api)).status).toBe(201);
    await admin.api.patch(`/api/environments/${hidden.environmentId}`, { access: 'restricted' });
    const seen = await operator.api.get(path('secret'));
    const absent = await operator.api.get(path('absent'));
    expect([seen.status, absent.status]).toEqual([404, 404]);
    expect((await put('secret', body)).status).toBe(404);
  });

  it('is rejected with the faulty path segment', async () => {
    for (const [where, at] of [
      ['/api/inventory/servers/by-external-id/-x/1', '/externalSource'],
      ['/api/inventory/servers/by-external-id/netbox/%20', '/externalId'],
      [`/api/inventory/servers/by-external-id/netbox/${'x'.repeat(201)}`, '/externalId'],
      ['/api/inventory/servers/by-external-id/netbox/a%0Ab', '/externalId'],
    ] as const) {
      const answer = await operator.api.put<Fault>(where, machine());
      expect([answer.status, answer.body.errors?.[0]?.path]).toEqual([400, at]);
    }
  });

  it('is rejected with the name of the registered server when the machine is registered', async () => {
    const body = machine();
    await put('first', body);
    const answer = await put('second', { ...body, name: 'other' });
    expect([answer.status, answer.body.code]).toEqual([409, 'duplicate_address']);
    expect(answer.body.detail).toContain(body.name);
  });
});

describe('source and external ID of a server', () => {
  it('can be set and cleared manually, and only together', async () => {
    const { body: server } = await operator.api.post<ServerView>('/api/inventory/servers', machine());
    const change = (body: object) =>
      operator.api.patch<ServerView & Fault>(`/api/inventory/servers/${server.id}`, body);
    expect((await change({ externalSource: 'netbox' })).body.errors?.[0]).toMatchObject({ path: '/externalId' });
    const linked = await change({ externalSource: 'netbox', externalId: 'by-hand' });
    expect(linked.body).toMatchObject({ externalSource: 'netbox', externalId: 'by-hand' });
    expect((await change({ externalId: null })).status).toBe(400);
    expect((await change({ externalSource: null, externalId: null })).body).toMatchObject({ externalId: null });
    const answerWithoutSource = await operator.api.post<Fault>('/api/inventory/servers', machine({ externalId: 'x' }));
    expect([answerWithoutSource.status, answerWithoutSource.body.errors?.[0]?.path]).toEqual([400, '/externalSource']);
  });

  it('belong to one server', async () => {
    await put('taken', machine());
    const answer = await operator.api.post<Fault>(
      '/api/inventory/servers',
      machine({ externalSource: 'netbox', externalId: 'taken' }),
    );
    expect([answer.status, answer.body.code]).toEqual([409, 'duplicate_external_id']);
  });
});
