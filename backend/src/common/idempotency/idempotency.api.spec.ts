import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withLockedRows } from '../../../test/support/row-lock.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { queryAs } from '../../../test/support/table-contents.js';

interface Record_ {
  id: string;
  name: string;
  code?: string;
  token?: string;
  privateKey?: string;
}

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

const post = (path: string, body: object, key: string, member = admin) =>
  member.api.post<Record_>(path, body, { 'idempotency-key': key });
const replayed = (answer: { headers: Headers }) => answer.headers.get('idempotency-replayed');
const count = async (name: string) =>
  (await admin.api.get<{ items: Record_[] }>(`/api/environments?q=${name}&limit=200`)).body.items.length;

describe('creation with an Idempotency-Key', () => {
  it('creates once and repeats the response', async () => {
    const first = await post('/api/environments', { name: 'once' }, 'key-1');
    const again = await post('/api/environments', { name: 'once' }, 'key-1');
    expect([first.status, again.status]).toEqual([201, 201]);
    expect([replayed(first), replayed(again)]).toEqual([null, 'true']);
    expect(again.body).toEqual(first.body);
    for (const name of ['location', 'etag', 'content-type'])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(await count('once')).toBe(1);
  });

  it('returns 422 for another body, path or spelling with the same key', async () => {
    await post('/api/environments', { name: 'first' }, 'key-2');
    const others = [
      await post('/api/environments', { name: 'second' }, 'key-2'),
      await post('/api/tokens', { name: 'first' }, 'key-2'),
      await post('/api/environments', { name: 'first', description: '' }, 'key-2'),
    ];
    for (const other of others)
      expect([other.status, other.body.code, replayed(other)]).toEqual([422, 'idempotency_key_reused', null]);
    expect(await count('second')).toBe(0);
  });

  it('ignores the order of fields and white space', async () => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'key-order' };
    const send = (body: string) => admin.api.raw<Record_>('POST', '/api/environments', body, headers);
    const first = await send('{"name":"ordered","description":"as it came"}');
    const again = await send('{ "description": "as it came",\n "name": "ordered" }');
    expect([first.status, again.status, replayed(again)]).toEqual([201, 201, 'true']);
    expect(again.body).toEqual(first.body);
  });

  it('creates once for concurrent requests, which all get that response', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => post('/api/environments', { name: 'crowd' }, 'key-3')),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(answers.filter((answer) => replayed(answer) === null)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await count('crowd')).toBe(1);
  });

  it('leaves connections of the pool free while it waits for the same request', async () => {
    const crowd = () =>
      Promise.all(Array.from({ length: 40 }, () => post('/api/environments', { name: 'patient' }, 'key-wait')));
    // The first request waits in its transaction for the end of the audit trail, which the test has locked.
    const answers = await withLockedRows(
      runward.database,
      `select 1 from audit_heads where tenant_id = '${admin.tenantId}' for update`,
      1,
      async () => {
        const waiting = crowd();
        const other = await runward.tenant('unconcerned');
        expect((await other.api.get('/api/environments')).status).toBe(200);
        return waiting;
      },
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
  });

  it('accepts the same key again after any refusal', async () => {
    const taken = await admin.api.post<Record_>('/api/environments', { name: 'taken' });
    const refused = await post('/api/environments', { name: 'taken' }, 'key-4');
    expect([refused.status, refused.body.code]).toEqual([409, 'duplicate_name']);
    const still = await post('/api/environments', { name: 'taken' }, 'key-4');
    expect([still.status, still.body.code]).toEqual([409, 'duplicate_name']);
    await admin.api.delete(`/api/environments/${taken.body.id}`);
    const made = await post('/api/environments', { name: 'taken' }, 'key-4');
    expect([made.status, replayed(made)]).toEqual([201, null]);
    expect((await post('/api/environments', { name: '' }, 'key-5')).status).toBe(400);
    expect((await post('/api/environments', { name: 'now well' }, 'key-5')).status).toBe(201);
  });

  it('separates keys of different members', async () => {
    const operator = await runward.member(admin, 'operator');
    const stranger = await runward.tenant('elsewhere');
    const mine = await post('/api/environments', { name: 'mine' }, 'shared');
    const theirs = await post('/api/environments', { name: 'theirs' }, 'shared', operator);
    const foreign = await post('/api/environments', { name: 'mine' }, 'shared', stranger);
    expect([mine.status, theirs.status, foreign.status]).toEqual([201, 201, 201]);
    expect(replayed(foreign)).toBeNull();
    expect(foreign.body.id).not.toBe(mine.body.id);
  });

  it('deletes a key after a day', async () => {
    const first = await post('/api/environments', { name: 'daily' }, 'key-6');
    await queryAs(
      runward.database,
      admin.tenantId,
      `update idempotency_keys set created_at = created_at - interval '24 hours 1 second'`,
    );
    await admin.api.delete(`/api/environments/${first.body.id}`);
    const next = await post('/api/environments', { name: 'daily' }, 'key-6');
    expect([next.status, replayed(next)]).toEqual([201, null]);
    expect(next.body.id).not.toBe(first.body.id);
  });

  it('neither repeats nor stores secrets that are shown once', async () => {
    const secrets: [string, object, 'token' | 'privateKey'][] = [
      ['/api/tokens', { name: 'shown once' }, 'token'],
      ['/api/ssh-keys', { name: 'shown once', generate: { type: 'ed25519' } }, 'privateKey'],
    ];
    const environment = await post('/api/environments', { name: 'shown once' }, 'key-environment');
    const key = await post('/api/ssh-keys', { name: 'enrolment', generate: { type: 'ed25519' } }, 'key-enrolment');
    const enrolment = { environmentId: environment.body.id, sshKeyId: key.body.id, username: 'deploy' };
    const enrolled = await post('/api/inventory/enrolments', enrolment, 'key-command');
    const enrolledAgain = await post('/api/inventory/enrolments', enrolment, 'key-command');
    const { token = '', command: _, ...record } = enrolled.body as { token?: string; command?: string };
    expect([enrolled.status, enrolledAgain.body]).toEqual([201, record]);
    const stored = await queryAs<{ row: string }>(
      ...([runward.database, admin.tenantId, 'select t::text as row from idempotency_keys t'] as const),
    );
    expect(stored.some(({ row }) => row.includes(token))).toBe(false);
    for (const [path, body, field] of secrets) {
      const first = await post(path, body, `key-${field}`);
      const again = await post(path, body, `key-${field}`);
      const { [field]: secret = '', ...rest } = first.body;
      expect(secret.length).toBeGreaterThan(40);
      expect(again.body).toEqual(rest);
      const rows = await queryAs<{ row: string }>(
        runward.database,
        admin.tenantId,
        'select t::text as row from idempotency_keys t',
      );
      expect(rows.some(({ row }) => row.includes(secret.slice(-80, -40)) || row.includes('PRIVATE KEY'))).toBe(false);
    }
  });

  it('refuses a key that is empty, too long or not visible ASCII', async () => {
    for (const key of [' ', 'a b', 'x'.repeat(201), 'ü']) {
      const answer = await post('/api/environments', { name: 'bad key' }, key);
      expect([key, answer.status]).toEqual([key, 400]);
    }
    expect(await count('bad')).toBe(0);
  });

  it('does not repeat responses after the member lost the role', async () => {
    const member = await runward.member(admin, 'operator');
    await post('/api/environments', { name: 'as operator' }, 'key-7', member);
    await queryAs(runward.database, admin.tenantId, `update users set role = 'viewer' where id = $1`, [member.userId]);
    expect((await post('/api/environments', { name: 'as operator' }, 'key-7', member)).status).toBe(403);
  });
});
