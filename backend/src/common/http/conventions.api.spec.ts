import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { makeOneOfEach } from '../../../test/support/one-of-each.js';
import { operations } from '../../../test/support/openapi.js';
import { withLockedRows } from '../../../test/support/row-lock.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { newId } from '../ids.js';
import { encodeCursor } from './paging/cursor.js';

interface Item {
  id: string;
  name: string;
}
interface List {
  items: Item[];
  nextCursor: string | null;
  code?: string;
}

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

describe('a list', () => {
  const create = async (name: string) => (await admin.api.post<Item>('/api/environments', { name })).status;

  it('returns every item exactly once, newest first, while other items are created between pages', async () => {
    for (let index = 0; index < 23; index += 1) expect(await create(`old-${index}`)).toBe(201);
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page += 1) {
      const { body }: { body: List } = await admin.api.get<List>(
        `/api/environments?limit=5${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...body.items.map(({ name }) => name));
      expect(body.items.length).toBeLessThanOrEqual(5);
      cursor = body.nextCursor;
      await create(`new-${page}`);
    }
    expect(seen).toEqual(Array.from({ length: 23 }, (_, index) => `old-${22 - index}`));
  });

  it('has no next page when the last one is exactly full', async () => {
    const { body } = await admin.api.get<List>('/api/environments?q=old-&limit=23');
    expect([body.items.length, body.nextCursor]).toEqual([23, null]);
  });

  it('has fifty items per page by default and at most two hundred', async () => {
    await queryAs(
      runward.database,
      admin.tenantId,
      `insert into environments (id, tenant_id, name, description) select gen_random_uuid(), $1, 'bulk-' || n, '' from generate_series(1, 230) n`,
      [admin.tenantId],
    );
    const size = async (query: string) => (await admin.api.get<List>(`/api/environments?${query}`)).body.items.length;
    expect([await size(''), await size('limit=200'), await size('limit=1')]).toEqual([50, 200, 1]);
    for (const limit of ['0', '201', '-1', '1.5', 'all', '']) {
      expect({ limit, status: (await admin.api.get(`/api/environments?limit=${limit}`)).status }).toEqual({
        limit,
        status: 400,
      });
    }
  });

  it('rejects an unknown cursor', async () => {
    const { body } = await admin.api.get<List>('/api/environments?limit=1');
    const cursor = body.nextCursor ?? '';
    const made = [
      encodeCursor(['x']),
      encodeCursor([1]),
      encodeCursor([null]),
      encodeCursor([]),
      encodeCursor([`${body.items[0]?.id}'`]),
    ];
    for (const bad of ['x', '', '%20', cursor.slice(1), `${cursor}A`, `${cursor}=`, body.items[0]?.id ?? '', ...made]) {
      for (const path of [
        '/api/environments',
        '/api/inventory/servers',
        '/api/plans',
        '/api/ssh-keys',
        '/api/tokens',
        '/api/executions',
      ]) {
        const answer = await admin.api.get<List>(`${path}?cursor=${bad}`);
        expect({ path, bad, status: answer.status }).toEqual({ path, bad, status: 400 });
      }
    }
  });

  it('treats % _ and \\ literally in searches', async () => {
    for (const name of ['100%', '1000', 'a_b', 'axb', 'back\\slash']) await create(name);
    const names = async (q: string) => {
      const { body } = await admin.api.get<List>(`/api/environments?q=${encodeURIComponent(q)}`);
      return body.items.map(({ name }) => name);
    };
    expect(await names('100%')).toEqual(['100%']);
    expect(await names('A_B')).toEqual(['a_b']);
    expect(await names('back\\')).toEqual(['back\\slash']);
    expect(await names("'; drop table environments; --")).toEqual([]);
  });
});

describe('a record', () => {
  it('has its version as ETag, and its address when it is created', async () => {
    const paths = ['/api/environments', '/api/ssh-keys', '/api/plans'];
    const bodies = [
      { name: 'r' },
      { name: 'r', generate: { type: 'ed25519' } },
      { name: 'r', steps: [{ key: 'a', command: 'true' }] },
    ];
    for (const [index, path] of paths.entries()) {
      const made = await admin.api.post<Item>(path, bodies[index]);
      expect(made.headers.get('location')).toBe(`${path}/${made.body.id}`);
      expect(made.headers.get('etag')).toBe('"1"');
      const read = await admin.api.get<Item>(made.headers.get('location') ?? '');
      expect([read.status, read.body.id, read.headers.get('etag')]).toEqual([200, made.body.id, '"1"']);
    }
  });

  it('is not changed by a request with an empty If-Match, on any route that reads the header', async () => {
    const id = newId();
    const answers: string[] = [];
    for (const { method, path, parameters = [] } of operations) {
      if (!parameters.some(({ name }) => name === 'If-Match')) continue;
      const url = path.replace(/\{\w+\}/g, id);
      for (const value of ['', ' ']) {
        const { status, body } = await admin.api.raw<{ code: string; errors?: { path: string }[] }>(method, url, '{}', {
          ...{ 'content-type': 'application/json', 'if-match': value },
        });
        answers.push(`${status} ${body.code} ${body.errors?.[0]?.path} ${method} ${path}`);
      }
    }
    expect(answers.length).toBeGreaterThan(50);
    expect(answers.filter((each) => !each.startsWith('400 invalid_request If-Match '))).toEqual([]);
  });

  it('is not cached by browsers and proxies, nor is a list or a problem', async () => {
    const { sshKeyId, executionId } = await makeOneOfEach(admin, 'granite');
    const paths = [
      '/api/auth/me',
      '/api/plans',
      `/api/ssh-keys/${sshKeyId}`,
      `/api/executions/${executionId}`,
      '/api/plans/none',
    ];
    for (const path of paths) {
      const answer = await admin.api.get(path);
      expect({ path, keep: answer.headers.get('cache-control') }).toEqual({ path, keep: 'no-store' });
    }
    expect((await admin.api.get('/api/plans')).headers.get('etag')).toBeNull();
  });
});

describe('a record with concurrent changes', () => {
  it.each([
    ['environments', '/api/environments', 'environmentId'],
    ['ssh_keys', '/api/ssh-keys', 'sshKeyId'],
    ['servers', '/api/inventory/servers', 'serverId'],
    ['plans', '/api/plans', 'planId'],
  ] as const)('accepts exactly one change with its version, of %s', async (table, path, kind) => {
    const { [kind]: id } = await makeOneOfEach(admin, `${table.replace('_', '')}-race`);
    const lock = `select set_config('app.tenant', '${admin.tenantId}', true); select from ${table} where id = '${id}' for update`;
    const tag = async () => (await admin.api.get(`${path}/${id}`)).headers.get('etag') ?? '';
    const before = await tag();
    const change = (n: number) => admin.api.patch(`${path}/${id}`, { name: `${table} ${n}` }, { 'if-match': before });
    const answers = await withLockedRows(runward.database, lock, 4, () => Promise.all([1, 2, 3, 4].map(change)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect(await tag()).toBe(`"${Number(before.slice(1, -1)) + 1}"`);
  });
});

describe('an answer', () => {
  const load = async (path: string, accepted: string) => {
    const headers = { authorization: `Bearer ${admin.token}`, 'accept-encoding': accepted };
    const response = await fetch(`${runward.url}${path}`, { headers });
    return {
      encoding: response.headers.get('content-encoding'),
      vary: response.headers.get('vary'),
      body: await response.text(),
    };
  };

  it('is compressed as the client accepts it, with the same content', async () => {
    const plain = await load('/api/environments?limit=50', 'identity');
    expect([plain.encoding, plain.vary]).toEqual([null, expect.stringContaining('Accept-Encoding')]);
    for (const encoding of ['gzip', 'br'])
      expect(await load('/api/environments?limit=50', encoding)).toEqual({ ...plain, encoding });
  });

  it('is not compressed when it is small', async () => {
    expect((await load('/api/environments?limit=1', 'gzip')).encoding).toBeNull();
  });
});

describe('a request', () => {
  it('keeps its request ID, or gets one', async () => {
    const given = 'ci.job-7_A';
    expect((await admin.api.get('/api/plans', { 'x-request-id': given })).headers.get('x-request-id')).toBe(given);
    const made = await admin.api.post<Item>('/api/environments', { name: 'traced' }, { 'x-request-id': given });
    const sql = 'select request_id from audit_entries where resource_id = $1';
    expect(await queryAs(runward.database, admin.tenantId, sql, [made.body.id])).toEqual([{ request_id: given }]);
    for (const bad of ['a b', 'x'.repeat(65), '<script>', 'ü']) {
      const id = (await admin.api.get('/api/plans', { 'x-request-id': bad })).headers.get('x-request-id') ?? '';
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
    }
    const ids = await Promise.all(
      Array.from({ length: 5 }, async () => (await admin.api.get('/api/plans')).headers.get('x-request-id')),
    );
    expect(new Set(ids).size).toBe(5);
  });

  it.each([
    ['GET', '/api/nothing'],
    ['GET', '/api'],
    ['POST', '/api/plans/x/y/z'],
    ['GET', '/api/../api/nothing'],
    ['DELETE', '/api/auth/nothing'],
  ])('for an unknown path returns a 404 problem: %s %s', async (method, path) => {
    for (const api of [admin.api, runward.anonymous]) {
      const answer = await api.raw<{ code: string }>(method, path, undefined);
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    }
  });

  it('for an undecodable path returns a problem', async () => {
    const answer = await admin.api.get<{ status: number; requestId: string }>('/api/plans/%zz');
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect([answer.status, answer.body.requestId]).toEqual([400, answer.headers.get('x-request-id')]);
  });

  it('gets headers that prevent framing and MIME sniffing', async () => {
    const { headers } = await admin.api.get('/api/plans');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-powered-by')).toBeNull();
  });
});
