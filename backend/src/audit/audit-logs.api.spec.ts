import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { seededRandom } from '../../test/support/seeded-random.js';
import { AuditLogsReader } from './audit-logs.reader.js';
import type { AuditLogListView, AuditLogView, AuditVerificationView } from './audit-logs.view.js';

let runward: Installation;
let admin: TestMember;
let operator: TestMember;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
  operator = await runward.member(admin, 'operator');
  for (const name of ['staging', 'production']) {
    const { body } = await operator.api.post<{ id: string }>(
      '/api/environments',
      { name },
      { 'x-request-id': `make-${name}` },
    );
    await operator.api.patch(`/api/environments/${body.id}`, { description: `All of ${name}` });
  }
  await operator.api.post('/api/ssh-keys', { name: 'deploy', generate: { type: 'ed25519' } });
});
afterAll(() => runward.close());

const list = async (query = ''): Promise<AuditLogView[]> =>
  (await admin.api.get<AuditLogListView>(`/api/audit-logs?${query}`)).body.items;
const verify = async (): Promise<AuditVerificationView> =>
  (await admin.api.get<AuditVerificationView>('/api/audit-logs/verify')).body;

describe('the audit trail', () => {
  it('records who changed what, from where and with which token, with the state before and after', async () => {
    const [entry] = await list('action=environment.update');
    expect(entry).toMatchObject({
      actor: {
        kind: 'user',
        id: operator.userId,
        address: '127.0.0.1',
        tokenPrefix: expect.stringMatching(/^runward_/),
      },
      resourceType: 'environment',
      resourceName: 'production',
      before: { description: '' },
      after: { description: 'All of production' },
    });
  });

  it('records the request ID that the caller sent', async () => {
    expect((await list('action=environment.create')).map((entry) => entry.requestId)).toEqual([
      'make-production',
      'make-staging',
    ]);
  });

  it('never contains a private key or a token value', async () => {
    const text = JSON.stringify(await list('limit=200'));
    expect(text).toContain('ssh_key.generate');
    expect(text).not.toMatch(/PRIVATE KEY/);
    expect(text).not.toContain(operator.token);
  });

  it('filters by actor, action, resource and time, and pages without gaps or duplicates', async () => {
    const all = await list('limit=200');
    expect(await list(`actorId=${operator.userId}&limit=200`)).toEqual(
      all.filter((entry) => entry.actor.id === operator.userId),
    );
    expect(await list('resourceType=ssh_key')).toHaveLength(1);
    const middle = all[Math.floor(all.length / 2)] as AuditLogView;
    expect(await list(`to=${middle.at}&limit=200`)).toEqual(all.filter((entry) => entry.at < middle.at));
    const paged: AuditLogView[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: AuditLogListView = (
        await admin.api.get<AuditLogListView>(`/api/audit-logs?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      ).body;
      paged.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(all);
  });

  it('is exported as one JSON object per line', async () => {
    const answer = await admin.api.get('/api/audit-logs/export?resourceType=environment');
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    const lines = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditLogView);
    expect(lines).toEqual(await list('resourceType=environment'));
  });

  it('is for admins only, and shows nothing of another tenant', async () => {
    const other = await runward.tenant('other');
    for (const path of ['', '/export', '/verify'])
      expect((await operator.api.get(`/api/audit-logs${path}`)).status).toBe(403);
    const seen = (await other.api.get<AuditLogListView>('/api/audit-logs?limit=200')).body.items;
    expect(seen.length).toBeGreaterThan(0);
    expect(JSON.stringify(seen)).not.toContain('staging');
    expect((await other.api.get<AuditLogListView>(`/api/audit-logs?actorId=${operator.userId}`)).body.items).toEqual(
      [],
    );
  });

  it('stays one unbroken chain under concurrent writes of one tenant', async () => {
    const racing = Array.from({ length: 40 }, (_, n) => operator.api.post('/api/environments', { name: `race-${n}` }));
    expect((await Promise.all(racing)).map((answer) => answer.status)).toEqual(Array.from({ length: 40 }, () => 201));
    expect(await verify()).toMatchObject({ intact: true, fault: null });
  });

  it('contains no entry of a refused change', async () => {
    const { entries } = await verify();
    expect((await operator.api.post('/api/environments', { name: 'staging' })).status).toBe(409);
    expect((await verify()).entries).toBe(entries);
  });
});

describe('verifying the chain', () => {
  it('detects each of 1,000 random manipulations by SQL', async () => {
    const random = seededRandom(20_261_120);
    const randomBelow = (n: number): number => random.int(n);
    const reader = runward.app.get(AuditLogsReader);
    const sql = <R>(text: string, values?: unknown[]) => runward.database.query<R>(text, values);
    await sql(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
    await sql('create temporary table kept_entries as select * from audit_entries where tenant_id = $1', [
      admin.tenantId,
    ]);
    await sql('create temporary table kept_head as select * from audit_heads where tenant_id = $1', [admin.tenantId]);
    const [{ count }] = (await sql<{ count: number }>('select count(*)::int as count from kept_entries')) as [
      { count: number },
    ];
    const tamper = makeTamperings(count, randomBelow);
    const missed: string[] = [];
    for (let n = 0; n < 1000; n += 1) {
      const statement = tamper[n % tamper.length]?.() ?? '';
      await sql(statement);
      if ((await reader.verifyAuditChain({ tenantId: admin.tenantId })).intact) missed.push(statement);
      await sql(`delete from audit_entries where tenant_id = '${admin.tenantId}'`);
      await sql('insert into audit_entries select * from kept_entries');
      await sql(`delete from audit_heads where tenant_id = '${admin.tenantId}'`);
      await sql('insert into audit_heads select * from kept_head');
    }
    expect(missed).toEqual([]);
    // The restored chain is intact, so only the manipulations were detected.
    expect((await reader.verifyAuditChain({ tenantId: admin.tenantId })).intact).toBe(true);
  });

  function makeTamperings(count: number, randomBelow: (n: number) => number): (() => string)[] {
    const own = `tenant_id = '${admin.tenantId}'`;
    const any = () => 1 + randomBelow(count);
    const texts = ['actor_name', 'address', 'request_id', 'action', 'resource_type', 'resource_name', 'token_prefix'];
    return [
      () =>
        `update audit_entries set ${texts[randomBelow(texts.length)]} = 'forged' where ${own} and sequence = ${any()}`,
      () => `update audit_entries set actor_id = gen_random_uuid() where ${own} and sequence = ${any()}`,
      () =>
        `update audit_entries set at = at + interval '1 millisecond' * ${1 + randomBelow(1000)} where ${own} and sequence = ${any()}`,
      () => `update audit_entries set after = '{"forged": ${randomBelow(100)}}' where ${own} and sequence = ${any()}`,
      () =>
        `update audit_entries set before = coalesce(before, '{}') || '{"forged": true}' where ${own} and sequence = ${any()}`,
      () => `update audit_entries set hash = sha256('${randomBelow(1000)}') where ${own} and sequence = ${any()}`,
      () => `delete from audit_entries where ${own} and sequence = ${any()}`,
      () => `delete from audit_entries where ${own} and sequence > ${count - any()}`,
      () => `delete from audit_entries where ${own} and sequence between ${any()} and ${count}`,
      () => {
        const [a, b] = [any(), any()];
        const [low, high] = a === b ? [1, count] : [Math.min(a, b), Math.max(a, b)];
        return `update audit_entries set sequence = 1000000 where ${own} and sequence = ${low};
          update audit_entries set sequence = ${low} where ${own} and sequence = ${high};
          update audit_entries set sequence = ${high} where ${own} and sequence = 1000000`;
      },
      () => `update audit_heads set sequence = sequence - ${1 + randomBelow(count)} where ${own}`,
      () => `update audit_heads set seal = sha256('${randomBelow(1000)}') where ${own}`,
      () => {
        const cut = any();
        return `delete from audit_entries where ${own} and sequence > ${cut - 1};
          update audit_heads set sequence = ${cut - 1} where ${own}`;
      },
      () => `delete from audit_heads where ${own}`,
    ];
  }
});
