import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { makeOneOfEach } from '../../test/support/one-of-each.js';
import { withLockedRows } from '../../test/support/row-lock.js';
import { queryAs } from '../../test/support/table-contents.js';

interface Environment {
  id: string;
  name: string;
  description: string;
  version: number;
  updatedAt: string;
  code?: string;
  referrers?: { type: string; id: string; name: string }[];
}

let runward: Installation;
let admin: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

let numbered = 0;
async function create(fields: object = {}): Promise<Environment> {
  numbered += 1;
  const answer = await admin.api.post<Environment>('/api/environments', { name: `environment-${numbered}`, ...fields });
  expect(answer.status).toBe(201);
  return answer.body;
}
const pathOf = ({ id }: { id: string }) => `/api/environments/${id}`;

describe('an environment', () => {
  it('returns the sent values, with an empty description by default', async () => {
    const made = await create({ name: 'Überprüfung 東京', description: 'line one\nline two' });
    expect(made).toMatchObject({ name: 'Überprüfung 東京', description: 'line one\nline two', version: 1 });
    expect((await admin.api.get(pathOf(made))).body).toEqual(made);
    expect((await create()).description).toBe('');
  });

  it('changes only in the fields that are sent', async () => {
    const made = await create({ description: 'first' });
    const changed = await admin.api.patch<Environment>(pathOf(made), { description: '' });
    expect(changed.body).toEqual({ ...made, description: '', version: 2, updatedAt: expect.any(String) });
    expect(changed.body.updatedAt >= made.updatedAt).toBe(true);
    const renamed = await admin.api.patch<Environment>(pathOf(made), { name: 'renamed' });
    expect(renamed.body).toMatchObject({ name: 'renamed', description: '', version: 3 });
  });

  it('rejects a blank or overlong name, and null', async () => {
    for (const name of ['', '   ', '\n', 'x'.repeat(101), null]) {
      expect((await admin.api.post('/api/environments', { name })).status).toBe(400);
    }
    expect((await admin.api.post('/api/environments', { name: 'x'.repeat(100) })).status).toBe(201);
  });

  it('has a unique name, regardless of case', async () => {
    const { name } = await create({ name: 'Production' });
    const other = await create();
    const again = await admin.api.post<Environment>('/api/environments', { name: name.toLowerCase() });
    expect([again.status, again.body.code]).toEqual([409, 'duplicate_name']);
    expect((await admin.api.patch(pathOf(other), { name: 'PRODUCTION' })).status).toBe(409);
    expect((await admin.api.patch(pathOf(other), { name: other.name.toUpperCase() })).status).toBe(200);
  });

  it('is not found after its deletion, and its whole history is in the audit trail', async () => {
    const made = await create();
    await admin.api.patch(pathOf(made), { description: 'x' });
    const deleted = await admin.api.delete(pathOf(made), { 'x-request-id': 'gone-1' });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await admin.api.get(pathOf(made))).status).toBe(404);
    expect((await admin.api.delete(pathOf(made))).status).toBe(404);
    const sql = `select action, request_id, before->>'description' as before, after->>'description' as after from audit_entries
      where resource_id = $1 order by id`;
    expect(await queryAs(runward.database, admin.tenantId, sql, [made.id])).toEqual([
      { action: 'environment.create', request_id: expect.any(String), before: null, after: '' },
      { action: 'environment.update', request_id: expect.any(String), before: '', after: 'x' },
      { action: 'environment.delete', request_id: 'gone-1', before: 'x', after: null },
    ]);
  });

  it('cannot be deleted while servers, plans or schedules belong to it, and the error names them', async () => {
    const { environmentId: id, serverId, jumpServerId, planId, scheduleId } = await makeOneOfEach(admin, 'granite');
    const refused = await admin.api.delete<Environment>(pathOf({ id }));
    expect([refused.status, refused.body.code]).toEqual([409, 'in_use']);
    expect(refused.body.referrers).toEqual([
      { type: 'server', id: jumpServerId, name: 'granite-jump' },
      { type: 'server', id: expect.any(String), name: 'granite-rotated-server' },
      { type: 'server', id: serverId, name: 'granite-server' },
      { type: 'plan', id: planId, name: 'granite-plan' },
      { type: 'schedule', id: scheduleId, name: 'granite-schedule' },
    ]);
  });
});

describe('changing an environment with If-Match', () => {
  it('succeeds with the tag that was read, and with *', async () => {
    const made = await admin.api.post<Environment>('/api/environments', { name: 'tagged' });
    const tag = made.headers.get('etag') ?? '';
    expect(tag).toBe('"1"');
    const changed = await admin.api.patch(pathOf(made.body), { name: 'tagged 2' }, { 'if-match': tag });
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await admin.api.patch(pathOf(made.body), { name: 'tagged 3' }, { 'if-match': 'W/"2"' })).status).toBe(200);
    expect((await admin.api.patch(pathOf(made.body), { name: 'tagged 4' }, { 'if-match': '*' })).status).toBe(200);
  });

  it('fails with 412 and changes nothing after another change', async () => {
    const made = await create();
    await admin.api.patch(pathOf(made), { description: 'new' });
    for (const tag of ['"1"', '"3"', '"x"', '1', 'W/"1"', '"1", "2"']) {
      const changed = await admin.api.patch<Environment>(pathOf(made), { description: 'lost' }, { 'if-match': tag });
      expect({ tag, status: changed.status, code: changed.body.code }).toEqual({
        tag,
        status: 412,
        code: 'version_mismatch',
      });
      expect((await admin.api.delete(pathOf(made), { 'if-match': tag })).status).toBe(412);
    }
    expect((await admin.api.get(pathOf(made))).body).toMatchObject({ description: 'new', version: 2 });
  });

  it('accepts exactly one of several concurrent changes', async () => {
    const made = await create();
    const answers = await withLockedRows(
      runward.database,
      `select set_config('app.tenant', '${admin.tenantId}', true); select from environments where id = '${made.id}' for update`,
      6,
      () =>
        Promise.all(
          Array.from({ length: 6 }, (_, n) =>
            admin.api.patch(pathOf(made), { description: `by ${n}` }, { 'if-match': '"1"' }),
          ),
        ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    expect((await admin.api.get(pathOf(made))).body).toMatchObject({ version: 2 });
  });
});

describe('two concurrent requests', () => {
  it('return 404 when the environment is deleted before they get the lock', async () => {
    const made = await create();
    const key = await admin.api.post<{ id: string }>('/api/ssh-keys', {
      name: 'racing',
      generate: { type: 'ed25519' },
    });
    const server = {
      name: 'racing',
      hostname: 'a.invalid',
      username: 'a',
      sshKeyId: key.body.id,
      environmentId: made.id,
    };
    const answer = await withLockedRows(
      runward.database,
      `select set_config('app.tenant', '${admin.tenantId}', true); delete from environments where id = '${made.id}'`,
      1,
      () => admin.api.post<Environment>('/api/inventory/servers', server),
    );
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
  });

  it('both apply their changes when neither sent a version', async () => {
    const made = await create();
    const sql = `select set_config('app.tenant', '${admin.tenantId}', true); select from environments where id = '${made.id}' for update`;
    const answers = await withLockedRows(runward.database, sql, 2, () =>
      Promise.all([
        admin.api.patch(pathOf(made), { name: 'both' }),
        admin.api.patch(pathOf(made), { description: 'too' }),
      ]),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await admin.api.get(pathOf(made))).body).toMatchObject({ name: 'both', description: 'too', version: 3 });
  });
});
