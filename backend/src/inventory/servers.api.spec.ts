import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { withLockedRows } from '../../test/support/row-lock.js';
import { queryAs } from '../../test/support/table-contents.js';

interface Server {
  id: string;
  name: string;
  hostname: string;
  port: number;
  tags: Record<string, string>;
  enabled: boolean;
  hostKey: { type: string; fingerprint: string; publicKey: string } | null;
  version: number;
  code?: string;
  errors?: { path: string; code: string; message: string }[];
}

interface List {
  items: Server[];
  nextCursor: string | null;
}

const PATH = '/api/inventory/servers';
const HOST_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBD7tT9DctkSnXlvzvnFawVBcviafjpi9nlqnfwuYr+2';

let runward: Installation;
let admin: TestMember;
let sshKeyId: string;
let environmentId: string;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  const key = await admin.api.post<Server>('/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
  sshKeyId = key.body.id;
  environmentId = await environment('production');
});
afterAll(() => runward.close());

const environment = async (name: string) => (await admin.api.post<Server>('/api/environments', { name })).body.id;

const post = (fields: object = {}) => {
  numbered += 1;
  const usual = {
    name: `server-${numbered}`,
    hostname: `web-${numbered}.invalid`,
    username: 'deploy',
    sshKeyId,
    environmentId,
  };
  return admin.api.post<Server>(PATH, { ...usual, ...fields });
};

async function create(fields: object = {}): Promise<Server> {
  const answer = await post(fields);
  expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 201, errors: undefined });
  return answer.body;
}
const patch = ({ id }: Server, fields: object, headers = {}) =>
  admin.api.patch<Server>(`${PATH}/${id}`, fields, headers);
const list = async (query: string) => (await admin.api.get<List>(`${PATH}?${query}`)).body;
const names = async (query: string) => (await list(query)).items.map(({ name }) => name).sort();

describe('servers', () => {
  it('returns a server as registered, with port 22 and enabled by default', async () => {
    const made = await create({ name: 'plain' });
    expect(made).toMatchObject({
      port: 22,
      enabled: true,
      tags: {},
      hostKey: null,
      seenHostKey: null,
      lastCheck: null,
      version: 1,
    });
    const full = await create({
      name: 'full',
      port: 2222,
      enabled: false,
      tags: { role: 'web' },
      hostKey: { publicKey: `${HOST_KEY} root@web` },
    });
    expect(full).toMatchObject({ port: 2222, enabled: false, tags: { role: 'web' }, hostKey: { type: 'ssh-ed25519' } });
    expect((await admin.api.get(`${PATH}/${full.id}`)).body).toEqual(full);
  });

  it('changes only fields of the request and replaces tags as a whole', async () => {
    const made = await create({ tags: { role: 'web', region: 'eu' } });
    const changed = await patch(made, { tags: { role: 'db' }, enabled: false });
    expect(changed.body).toEqual({
      ...made,
      tags: { role: 'db' },
      enabled: false,
      version: 2,
      updatedAt: expect.any(String),
    });
  });

  it('deletes a server', async () => {
    const made = await create();
    expect((await admin.api.delete(`${PATH}/${made.id}`, { 'if-match': '"2"' })).status).toBe(412);
    expect((await admin.api.delete(`${PATH}/${made.id}`, { 'if-match': '"1"' })).status).toBe(204);
    expect((await admin.api.get(`${PATH}/${made.id}`)).status).toBe(404);
  });

  it('does not delete a server while a run that targets it is unfinished', async () => {
    const made = await create({ environmentId: await environment('busy') });
    const { environmentId: where } = made as unknown as { environmentId: string };
    const plan = await admin.api.post<Server>('/api/plans', {
      name: 'busy',
      environmentId: where,
      steps: [{ key: 'a', command: 'true' }],
    });
    const run = await admin.api.post<Server>('/api/executions', { planId: plan.body.id, execution_mode: 'auto' });
    expect(run.status).toBe(201);
    const refused = await admin.api.delete<Server>(`${PATH}/${made.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'in_use']);
    await admin.api.post(`/api/executions/${run.body.id}/cancel`, {});
    expect((await admin.api.delete(`${PATH}/${made.id}`)).status).toBe(204);
  });

  it('rejects a host key that is not a valid public key line', async () => {
    for (const publicKey of ['hello', 'ssh-ed25519 AAAA', HOST_KEY.replace('ssh-ed25519', 'ssh-rsa'), 'SHA256:abc']) {
      const { status, body } = await post({ hostKey: { publicKey } });
      expect({ publicKey, status, path: body.errors?.[0]?.path }).toEqual({
        publicKey,
        status: 400,
        path: '/hostKey/publicKey',
      });
    }
  });
});

describe('address and login name of a server', () => {
  it('accepts a name, an IPv4 address or an IPv6 address', async () => {
    for (const hostname of ['web-1', 'web_1.example.com', '10.0.0.5', '::1', 'fe80::1%eth0', '::ffff:10.0.0.6']) {
      expect({ hostname, status: (await post({ hostname })).status }).toEqual({ hostname, status: 201 });
    }
  });

  it('accepts IPv4 addresses only in their unambiguous form', async () => {
    for (const hostname of ['010.0.0.1', '127.1', '0x7f.0.0.1', '2130706433', '10.0.0.5.', '10.0.0', '1.2.3.4.5']) {
      const { status, body } = await post({ hostname });
      const [error] = body.errors ?? [];
      expect([hostname, status, error?.path]).toEqual([hostname, 400, '/hostname']);
      expect(error?.message).toContain('four numbers without leading zeros');
    }
    for (const hostname of ['10.20.30.40', '7-of-9', '1.2.3.4.example.com', 'web.1', '::ffff:10.0.0.7']) {
      expect([hostname, (await post({ hostname })).status]).toEqual([hostname, 201]);
    }
  });

  it.each(['hostname', 'username'])(
    'rejects in %s characters that a shell or an option parser interprets',
    async (field) => {
      const bad = [
        '-oProxyCommand=id',
        '-l',
        'a b',
        'a$b',
        'a\\b',
        'a;b',
        'a`b',
        "a'b",
        'a"b',
        'a\nb',
        'a/b',
        'a|b',
        'a&b',
        'é',
        '',
      ];
      for (const value of bad) {
        const made = await post({ [field]: value });
        expect({ value, status: made.status, path: made.body.errors?.[0]?.path }).toEqual({
          value,
          status: 400,
          path: `/${field}`,
        });
      }
      const kept = await create();
      expect((await patch(kept, { [field]: '-oProxyCommand=id' })).status).toBe(400);
    },
  );

  it('accepts ports from 1 to 65535', async () => {
    for (const port of [0, -1, 65536, 22.5, 1e9])
      expect({ port, status: (await post({ port })).status }).toEqual({ port, status: 400 });
    for (const port of [1, 65535]) expect((await post({ port })).status).toBe(201);
  });

  it('clears the pinned host key only when address or port changes', async () => {
    const made = await create({ hostname: 'old.invalid', port: 22, hostKey: { publicKey: HOST_KEY } });
    expect((await patch(made, { hostname: 'old.invalid', port: 22, username: 'root' })).body.hostKey).not.toBeNull();
    expect((await patch(made, { hostname: 'new.invalid' })).body).toMatchObject({
      hostKey: null,
      seenHostKey: null,
      lastCheck: null,
    });
    const other = await create({ hostKey: { publicKey: HOST_KEY } });
    expect((await patch(other, { port: 2022 })).body.hostKey).toBeNull();
  });

  it('does not pin a host key that was seen at the previous address', async () => {
    const made = await create();
    const fingerprint = 'SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY';
    const seen = JSON.stringify({ type: 'ssh-ed25519', publicKey: 'AAAA', fingerprint });
    await queryAs(runward.database, admin.tenantId, 'update servers set seen_host_key = $2 where id = $1', [
      made.id,
      seen,
    ]);
    const answer = await withLockedRows(
      runward.database,
      `select set_config('app.tenant', '${admin.tenantId}', true);
       update servers set hostname = 'new.invalid', host_key = null, seen_host_key = null where id = '${made.id}'`,
      1,
      () => admin.api.put<Server>(`${PATH}/${made.id}/host-key`, { fingerprint }),
    );
    expect([answer.status, answer.body.code]).toEqual([409, 'host_key_not_seen']);
    expect((await admin.api.get(`${PATH}/${made.id}`)).body).toMatchObject({ hostname: 'new.invalid', hostKey: null });
  });
});

describe('tags of a server', () => {
  it('follow the syntax of Kubernetes labels, at most fifty per server', async () => {
    const fine = { role: 'web', 'app.kubernetes.io/name': 'shop', a: '1', Z_9: 'v1.2-rc_3' };
    expect((await create({ tags: fine })).tags).toEqual(fine);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`tag${index}`, 'x']));
    const bad = [
      { name: 'x' },
      { '': 'x' },
      { '-a': 'x' },
      { 'a b': 'x' },
      { a: '' },
      { a: 'b c' },
      { a: '-' },
      { a: 1 },
      { a: null },
      { a: ['b'] },
      { a: {} },
      many,
    ];
    for (const tags of [...bad, { ['k'.repeat(64)]: 'x' }, { a: 'v'.repeat(64) }, { 'a,b': 'x' }, { 'a=b': 'x' }]) {
      const { status, body } = await post({ tags });
      expect({ tags, status, path: body.errors?.[0]?.path }).toEqual({ tags, status: 400, path: '/tags' });
    }
  });
});

describe('list of servers', () => {
  beforeAll(async () => {
    const lab = await environment('lab');
    await create({
      name: 'lab-web-1',
      environmentId: lab,
      tags: { role: 'web', region: 'eu' },
      hostname: 'one.lab.invalid',
    });
    await create({ name: 'lab-web-2', environmentId: lab, tags: { role: 'web', region: 'us' } });
    await create({ name: 'lab-db', environmentId: lab, tags: { role: 'db', region: 'eu', legacy: 'yes' } });
    await create({ name: 'lab_100%', environmentId: lab });
  });

  it('filters by a selector over tags and names', async () => {
    const ask = (selector: string) => names(`q=lab&selector=${encodeURIComponent(selector)}`);
    expect(await ask('role=web')).toEqual(['lab-web-1', 'lab-web-2']);
    expect(await ask('role=web,region in (eu, asia)')).toEqual(['lab-web-1']);
    expect(await ask('region,!legacy')).toEqual(['lab-web-1', 'lab-web-2']);
    expect(await ask('role notin (web)')).toEqual(['lab-db', 'lab_100%']);
    expect(await ask('name=lab-web-*')).toEqual(['lab-web-1', 'lab-web-2']);
    expect(await ask('')).toHaveLength(4);
  });

  it('rejects an invalid selector and names what was expected', async () => {
    for (const selector of ['role in eu', 'role in (', '=web', 'role==web==', ',']) {
      const { status, body } = await admin.api.get<Server>(`${PATH}?selector=${encodeURIComponent(selector)}`);
      expect({ selector, status, item: body.errors?.[0] }).toEqual({
        selector,
        status: 400,
        item: { path: '?selector', code: 'invalid_selector', message: expect.any(String) },
      });
    }
  });

  it('searches names and host names, with % and _ as ordinary characters', async () => {
    expect(await names('q=LAB-WEB')).toEqual(['lab-web-1', 'lab-web-2']);
    expect(await names('q=one.lab')).toEqual(['lab-web-1']);
    expect(await names('q=100%25')).toEqual(['lab_100%']);
    expect(await names('q=lab_')).toEqual(['lab_100%']);
    expect(await names('q=%5C')).toEqual([]);
  });

  it('filters by environment; an unknown environment has no servers', async () => {
    const { items } = await list('q=lab-db');
    const lab = (items[0] as unknown as { environmentId: string }).environmentId;
    expect(await names(`environmentId=${lab}`)).toHaveLength(4);
    expect(await names(`environmentId=${items[0]?.id}`)).toEqual([]);
  });

  it('filters by state and by enabled', async () => {
    const where = await environment('states');
    const states = ['unchecked', 'reachable', 'unreachable', 'reachable'];
    for (const [at, state] of states.entries()) {
      const { id } = await create({ name: `state-${at}`, environmentId: where, enabled: at !== 1 });
      const sql = `update servers set state = $2, state_since = now(), checked_at = now() where id = $1`;
      if (state !== 'unchecked') await queryAs(runward.database, admin.tenantId, sql, [id, state]);
    }
    const ask = (query: string) => names(`environmentId=${where}&${query}`);
    expect(await ask('state=reachable')).toEqual(['state-1', 'state-3']);
    expect(await ask('state=reachable&state=unchecked')).toEqual(['state-0', 'state-1', 'state-3']);
    expect(await ask('state=reachable&enabled=true')).toEqual(['state-3']);
    expect(await ask('enabled=false')).toEqual(['state-1']);
    expect(await ask('state=login_refused')).toEqual([]);
    const { items } = await list(`environmentId=${where}&sort=-state`);
    expect(items.map(({ name }) => name)).toEqual(['state-2', 'state-0', 'state-3', 'state-1']);
    for (const query of ['enabled=1', 'enabled=', 'enabled=TRUE', 'enabled=true&enabled=true', 'state=Reachable']) {
      const { status, body } = await admin.api.get<Server>(`${PATH}?${query}`);
      expect([query, status, body.errors?.[0]?.path]).toEqual([query, 400, `?${query.split('=')[0]}`]);
    }
  });

  it('returns with count the number of visible servers that match the filters on all pages', async () => {
    const where = await environment('counted');
    const hidden = await environment('counted in secret');
    for (const [at, environmentId] of [where, where, where, hidden].entries())
      await create({ name: `counted-${at}`, environmentId, tags: { counted: at === 0 ? 'first' : 'other' } });
    const path = `/api/environments/${hidden}`;
    expect((await admin.api.patch(path, { access: 'restricted' })).status).toBe(200);
    const viewer = await runward.member(admin, 'viewer');
    const ask = async (query: string, { api } = admin) =>
      (await api.get<{ items: object[]; total?: number; nextCursor: string | null }>(`${PATH}?${query}`)).body;
    expect(await ask('selector=counted&count=true')).toMatchObject({ total: 4 });
    expect(await ask('selector=counted&count=true', viewer)).toMatchObject({ total: 3 });
    expect(await ask(`environmentId=${where}&selector=counted%3Dother&count=true`)).toMatchObject({ total: 2 });
    expect(await ask('selector=counted%3Dnowhere&count=true')).toEqual({ items: [], nextCursor: null, total: 0 });
    const first = await ask('selector=counted&count=true&limit=3');
    expect([first.items.length, first.total]).toEqual([3, 4]);
    const second = await ask(`selector=counted&count=true&limit=3&cursor=${first.nextCursor}`);
    expect([second.items.length, second.total, second.nextCursor]).toEqual([1, 4, null]);
    for (const query of ['selector=counted', 'selector=counted&count=false'])
      expect(await ask(query)).not.toHaveProperty('total');
    for (const query of ['count=1', 'count=', 'count=TRUE', 'count=true&count=true']) {
      const { status, body } = await admin.api.get<Server>(`${PATH}?${query}`);
      expect([query, status, body.errors?.[0]?.path]).toEqual([query, 400, '?count']);
    }
  });

  it('neither loses nor repeats a server on pages that a selector filters', async () => {
    const where = await environment('large');
    // More rows than one read fetches, so that some reads contain no match.
    await queryAs(
      runward.database,
      admin.tenantId,
      `insert into servers (id, tenant_id, environment_id, name, hostname, port, username, ssh_key_id, tags)
        select ('01000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, $2, 'many-' || n, n || '.a.invalid', 22, 'a', $3,
          jsonb_build_object('side', case when n between 400 and 1100 then 'middle' when n % 3 = 0 then 'third' else 'other' end)
        from generate_series(1, 1500) n`,
      [admin.tenantId, where, sshKeyId],
    );
    const found: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 20; pages += 1) {
      const page: List = await list(
        `environmentId=${where}&selector=side%3Dthird&limit=50${cursor && `&cursor=${cursor}`}`,
      );
      expect(page.items.length).toBeGreaterThan(0);
      expect(page.items.length).toBe(page.nextCursor === null ? page.items.length : 50);
      found.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
    }
    const expected = Array.from({ length: 1500 }, (_, index) => 1500 - index).filter(
      (n) => n % 3 === 0 && !(n >= 400 && n <= 1100),
    );
    expect(found).toEqual(expected.map((n) => `many-${n}`));
  });
});
