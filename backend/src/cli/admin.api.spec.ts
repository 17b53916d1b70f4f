import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiClient } from '../../test/support/api-client.js';
import { createEmptyDatabase } from '../../test/support/database.js';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../test/support/installation.js';
import { queryAs } from '../../test/support/table-contents.js';
import { launchProgram } from '../../test/support/run-program.js';
import { MIGRATIONS } from '../common/database/migrations/all-migrations.js';

let runward: Installation;
let admin: TestMember;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'runward-admin-'));
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(async () => {
  await runward.close();
  await rm(dataDir, { recursive: true, force: true });
});

const runAdmin = (...args: string[]) => launchProgram('admin', args, { database: runward.database, dataDir }).ended;

async function passwordFile(content: string): Promise<string> {
  const file = join(dataDir, 'password');
  await writeFile(file, content);
  return file;
}

const signIn = async (password: string) => {
  const answer = await runward.anonymous.post('/api/auth/login', { email: admin.email, password });
  return { status: answer.status, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] };
};
const reset = (...more: string[]) =>
  runAdmin('member', 'reset-password', '--tenant', 'ACME', '--email', admin.email.toUpperCase(), ...more);

describe('npm run admin -- member reset-password', () => {
  it('prints a new password once, ends sessions, resets failed sign-ins, and keeps tokens', async () => {
    const { cookie } = await signIn(PASSWORD);
    for (let n = 0; n < 5; n += 1) await signIn('wrong');
    expect((await signIn(PASSWORD)).status).toBe(429);
    const done = await reset();
    expect(done).toMatchObject({ code: 0, errors: '' });
    const password = /Password, shown this once: (\S{20})\n/.exec(done.output)?.[1] ?? '';
    expect((await signIn(password)).status).toBe(200);
    expect((await signIn(PASSWORD)).status).toBe(401);
    expect((await apiClient(runward.url, { cookie }).get('/api/auth/me')).status).toBe(401);
    expect((await admin.api.get('/api/auth/me')).status).toBe(200);
    const [entry] = await queryAs<{ actor_name: string; text: string }>(
      runward.database,
      admin.tenantId,
      `select actor_name, e::text as text from audit_entries e where action = 'member.reset_password'`,
    );
    expect(entry?.actor_name).toBe('npm run admin');
    expect(entry?.text).not.toContain(password);
  });

  it('sets the password from a file without printing it', async () => {
    const done = await reset('--password-file', await passwordFile('the one that I chose\n'));
    expect(done).toMatchObject({ code: 0 });
    expect(done.output).not.toContain('the one that I chose');
    expect((await signIn('the one that I chose')).status).toBe(200);
  });

  it('refuses a password on the command line without repeating it', async () => {
    const attempts = [
      await reset('--password', 'hunter2-hunter2'),
      await reset('--password=hunter2-hunter2'),
      await runAdmin(
        'tenant',
        'create',
        '--name',
        'x',
        '--admin-email',
        'x@example.test',
        '--admin-password',
        'hunter2-hunter2',
      ),
    ];
    for (const { code, output, errors } of attempts) {
      expect([code, output]).toEqual([1, '']);
      expect(errors).not.toContain('hunter2');
      expect(errors).toMatch(
        /^--(admin-)?password is not accepted: .* Use --(admin-)?password-file FILE, or .* -.*\n$/,
      );
    }
  });

  it('reports errors in one line and changes nothing', async () => {
    const unknown = [
      await runAdmin('member', 'reset-password', '--tenant', 'none', '--email', admin.email),
      await runAdmin('member', 'reset-password', '--tenant', 'acme', '--email', 'nobody@example.test'),
      await reset('--password-file', await passwordFile('short')),
      await reset('--password-file', await passwordFile('one line of it\nand another\n')),
      await reset('--password-file', join(dataDir, 'missing')),
    ];
    expect(unknown.map((ended) => [ended.code, ended.output])).toEqual(unknown.map(() => [1, '']));
    expect(unknown.map((ended) => ended.errors)).toEqual([
      'No tenant is named "none". List tenants with: tenant list\n',
      '"acme" has no member with the address nobody@example.test.\n',
      'The password is shorter than 12 characters.\n',
      'The password file has more than one line.\n',
      `The password file can't be read: ENOENT: no such file or directory, open '${join(dataDir, 'missing')}'\n`,
    ]);
  });
});

describe('npm run admin -- audit verify', () => {
  it('reports for each tenant, or the selected one, that its chain is intact', async () => {
    await runward.tenant('brick works');
    const all = await runAdmin('audit', 'verify');
    expect(all).toMatchObject({ code: 0, errors: '' });
    expect(all.output.split('\n').filter(Boolean)).toEqual([
      expect.stringMatching(/^acme: intact, \d+ entries, the last has [0-9a-f]{64}\.$/),
      expect.stringMatching(/^brick works: intact, \d+ entries, the last has [0-9a-f]{64}\.$/),
    ]);
    const one = await runAdmin('audit', 'verify', '--tenant', 'Brick Works');
    expect(one).toMatchObject({ code: 0, output: `${all.output.split('\n')[1]}\n` });
    expect(await runAdmin('audit', 'verify', '--tenant', 'none')).toEqual({
      code: 1,
      output: '',
      errors: 'No tenant is named "none". List tenants with: tenant list\n',
    });
  });

  it('exits with code 1 if an entry was changed, and still verifies other tenants', async () => {
    await runward.database.query(`select set_config('app.tenant', $1, false)`, [admin.tenantId]);
    await runward.database.query(
      `update audit_entries set actor_name = 'nobody' where tenant_id = $1 and sequence = 2`,
      [admin.tenantId],
    );
    const { code, output } = await runAdmin('audit', 'verify');
    expect(code).toBe(1);
    expect(output).toMatch(/^acme: NOT INTACT\. Entry 2 was changed or moved.*\nbrick works: intact,/);
  });
});

describe('npm run admin -- tenant create', () => {
  it('reads the password of the first admin from standard input without printing it', async () => {
    const args = ['tenant', 'create', '--name', 'piped', '--admin-email', 'piped@example.test'];
    const { child, ended } = launchProgram('admin', [...args, '--admin-password-file', '-'], {
      database: runward.database,
      dataDir,
    });
    child.stdin?.end('the one that I piped');
    const created = await ended;
    expect(created).toMatchObject({ code: 0, errors: '' });
    expect(created.output).not.toContain('shown this once');
    const login = { email: 'piped@example.test', password: 'the one that I piped' };
    expect((await runward.anonymous.post('/api/auth/login', login)).status).toBe(200);

    const refused = await runAdmin('tenant', 'create', '--name', 'pip\u202eed', '--admin-email', 'a@example.test');
    expect(refused).toMatchObject({ code: 1, output: '' });
    expect(refused.errors).toContain('U+202E (right-to-left override), which is character 4');
  });
});

describe('npm run admin -- migrate', () => {
  const last = MIGRATIONS.at(-1)?.name;

  it('prints the pending migrations without running them, and runs them on request', async () => {
    const database = await createEmptyDatabase();
    const migrate = (...args: string[]) => launchProgram('admin', ['migrate', ...args], { database, dataDir }).ended;
    try {
      const plan = await migrate('--plan');
      expect(plan).toMatchObject({ code: 0, errors: '' });
      expect(plan.output).toContain(`Migrations: 0 applied, ${MIGRATIONS.length} pending.`);
      expect(plan.output).toContain(`  ${last}\n`);
      expect(await database.query(`select to_regclass('public.tenants') as found`)).toEqual([{ found: null }]);
      expect((await migrate()).output).toContain('The database has the schema of this version.');
      expect(await migrate('--plan')).toEqual({
        code: 0,
        errors: '',
        output: `Migrations: ${MIGRATIONS.length} applied, 0 pending.\n`,
      });
    } finally {
      await database.drop();
    }
  });

  it('says whether older processes can use the database afterwards, and names migrations of a newer version', async () => {
    const { database } = runward;
    await database.query(`delete from runward_migrations where name = $1`, [last]);
    await database.query(`insert into runward_migrations (timestamp, name) values (0, 'Later20400101000000')`);
    await database.query('update schema_generation set oldest_code = oldest_code - 1');
    const plan = await runAdmin('migrate', '--plan');
    expect(plan.output).toContain(`${MIGRATIONS.length - 1} applied, 1 pending.\n  ${last}\nAfter these migrations, `);
    expect(plan.output).toContain('Of a newer version: Later20400101000000\n');
    expect(await runAdmin('migrate')).toMatchObject({ code: 1, errors: expect.stringContaining('Use that version.') });
    await database.query('update schema_generation set oldest_code = oldest_code + 1');
    expect((await runAdmin('migrate', '--plan')).output).toContain('Processes of the previous minor version continue');
    await database.query(`delete from runward_migrations where name = 'Later20400101000000'`);
    await database.query(`insert into runward_migrations (timestamp, name) values (0, $1)`, [last]);
  });
});
