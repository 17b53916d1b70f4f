import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createTestDatabase } from './support/database.js';
import { importedEntities, namedTables } from './support/named-tables.js';

const SOURCES = resolve(import.meta.dirname, '../src');
/** Passes all entities to TypeORM, but reads no table. */
const LIST_OF_ENTITIES = 'entities.ts';

/** Tables and SQL functions by owning module, as in `docs/architecture.md`. */
const OWNED: Readonly<Record<string, readonly string[]>> = {
  common: [
    ...['installation', 'idempotency_keys', 'worker_heartbeats', 'runward_migrations'],
    ...['schema_generation', 'demand_current_code', 'demand_current_code_of_writer'],
    ...['installation_acts', 'installation_begins', 'refuse_held_job'],
  ],
  backup: ['backups'],
  audit: ['audit_entries', 'audit_heads'],
  outbox: ['outbox_events', 'outbox_interests', 'tenants_with_outbox_events', 'oldest_outbox_events'],
  tenancy: ['tenants', 'users', 'auth_directory', 'known_places', 'password_links', 'given_rights'],
  keys: ['ssh_keys'],
  auth: [
    'sessions',
    'api_tokens',
    'login_throttle',
    'resolve_session',
    'resolve_token',
    'api_tokens_environments',
    'oidc_trust_rules_environments',
    'oidc_trust_rules',
    'trust_rules_of',
  ],
  environments: [
    'environments',
    'environment_grants',
    'protection_changes',
    'environment_variables',
    'note_protection',
  ],
  inventory: [
    ...['servers', 'server_labels', 'server_checks', 'server_variables', 'server_host_keys', 'shared_host_keys'],
    ...['proved_host_keys', 'forget_proved_host_keys', 'host_proofs', 'forget_host_proofs', 'note_environment'],
    ...['shared_addresses', 'departed_servers', 'departed_proofs', 'depart_server', 'note_departure'],
    ...['inventory_imports', 'inventory_import_entries', 'key_rotations', 'key_rotation_hosts', 'enrolments'],
    ...['canonical_address', 'label_servers', 'relabel_servers', 'labels_of', 'note_server_check', 'note_host_keys'],
    ...['schedule_checks', 'reschedule_checks', 'tenants_with_due_checks', 'server_changes', 'note_server_change'],
  ],
  'git-sources': ['git_sources', 'git_source_refs', 'git_webhook_calls'],
  scripts: ['scripts', 'script_revisions'],
  templates: ['templates', 'template_revisions'],
  collections: ['collections'],
  bookmarks: ['bookmarks'],
  plans: ['plans', 'plan_revisions', 'plan_folders', 'plan_folder_syncs'],
  notifications: [
    'notification_rules',
    'notification_deliveries',
    'tenants_with_due_notifications',
    'oldest_due_notifications',
  ],
  executions: [
    ...[
      'executions',
      'execution_labels',
      'execution_steps',
      'execution_hosts',
      'execution_slices',
      'execution_events',
      'host_results',
    ],
    ...[
      'inherited_results',
      'output_chunks',
      'number_output_lines',
      'dispatches',
      'guard_keys',
      'guard_queue',
      'guard_waits',
    ],
    ...['approvals', 'approval_decisions', 'approval_authors'],
    ...['merge_counts', 'stalled_executions', 'stalled_slices'],
    ...['first_id_at', 'make_month_partitions', 'drop_spent_partitions', 'tenants_with_due_retention', 'measure_runs'],
    ...[
      'execution_totals',
      'count_ended_run',
      'note_run_change',
      'retention_rules',
      'retention_passes',
      'token_end',
      'runs_of_ended_tokens',
    ],
  ],
  webhooks: [
    ...['webhooks', 'webhook_messages', 'webhook_deliveries', 'webhook_attempts'],
    ...['due_webhooks', 'tenants_with_webhook_messages', 'oldest_due_webhook_deliveries'],
  ],
  schedules: ['schedules', 'schedule_writers', 'schedule_fires', 'tenants_with_due_schedules', 'oldest_due_schedules'],
};
const OWNERS = new Map(
  Object.entries(OWNED).flatMap(([moduleName, names]) => names.map((name) => [name, moduleName] as const)),
);

/** Files and folders that may name tables of other modules. */
const EXCEPTIONS: readonly { path: string; tables: readonly string[] | 'all'; reason: string }[] = [
  { path: 'common/database/migrations/', tables: 'all', reason: 'creates the tables of all modules' },
  { path: 'backup/', tables: 'all', reason: 'copies the tables of all modules' },
  {
    path: 'common/database/boot/boot-checks.ts',
    tables: ['auth_directory'],
    reason: 'excludes it from the verification of row-level security, and reads no row',
  },
  {
    path: 'cli/',
    tables: ['installation'],
    reason: 'names a command and the resource of audit entries, and reads no row',
  },
  {
    path: 'overview/overview.controller.ts',
    tables: ['environments', 'servers'],
    reason: 'names paths, and reads no row',
  },
  {
    path: 'executions/',
    tables: ['api_tokens'],
    reason: 'a run that has not begun ends with the token that started it, decided in the transaction of the run',
  },
  {
    path: 'auth/tokens/token-lineage.ts',
    tables: ['executions'],
    reason: 'keeps expired tokens until their runs have ended, in the statement that deletes expired tokens',
  },
];

const FILES = readdirSync(SOURCES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts'))
  .map((entry) => relative(SOURCES, join(entry.parentPath, entry.name)).split(sep).join('/'))
  .sort();
const sourceOf = (path: string): string => readFileSync(join(SOURCES, path), 'utf8');

/** Top folder of a path; empty for files outside of folders, which own no tables. */
const moduleOf = (path: string): string => (path.includes('/') ? (path.split('/')[0] ?? '') : '');

const exceptionOf = (path: string, table: string) =>
  EXCEPTIONS.find((each) => path.startsWith(each.path) && (each.tables === 'all' || each.tables.includes(table)));

interface Violation {
  path: string;
  table: string;
  message: string;
}

const foreignTables = (path: string, source: string): Violation[] =>
  namedTables(source, OWNERS.keys())
    .filter(({ table }) => OWNERS.get(table) !== moduleOf(path))
    .map(({ table, line }) => ({ path, table, message: `${path}:${line} names ${table} of ${OWNERS.get(table)}` }));

const foreignEntities = (path: string, source: string): string[] =>
  importedEntities(source)
    .map((imported) =>
      relative(SOURCES, resolve(SOURCES, dirname(path), imported))
        .split(sep)
        .join('/'),
    )
    .filter((entity) => moduleOf(entity) !== moduleOf(path))
    .map((entity) => `${path} imports ${entity}`);

describe('every table', () => {
  it('has an owner, and so has every SQL function', async () => {
    const database = await createTestDatabase();
    try {
      const rows = await database.query<{ name: string }>(
        `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition
          union select proname from pg_proc where pronamespace = 'public'::regnamespace
            and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`,
      );
      expect(rows.map(({ name }) => name).sort()).toEqual([...OWNERS.keys()].sort());
    } finally {
      await database.drop();
    }
  });

  it('is named only in the SQL of its own module', () => {
    const violations = FILES.flatMap((path) => foreignTables(path, sourceOf(path)));
    expect(violations.filter(({ path, table }) => !exceptionOf(path, table)).map(({ message }) => message)).toEqual([]);
    const used = new Set(violations.map(({ path, table }) => exceptionOf(path, table)));
    expect(EXCEPTIONS.filter((each) => !used.has(each))).toEqual([]);
  });

  it('is read through its entity only by its own module', () => {
    const readers = FILES.filter((path) => path !== LIST_OF_ENTITIES);
    expect(readers.flatMap((path) => foreignEntities(path, sourceOf(path)))).toEqual([]);
  });

  it('is listed under its module in docs/architecture.md', () => {
    const page = readFileSync(resolve(SOURCES, '../../docs/architecture.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `([\w-]+)\/` \| (.*) \|$/gm)].map(([, moduleName, names]) => [
      moduleName,
      [...(names ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name).sort(),
    ]);
    const owned = Object.entries(OWNED).map(([moduleName, names]) => [moduleName, [...names].sort()]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(owned));
  });
});

describe('a table of another module is found', () => {
  it.each([
    ['in a plain statement', "tx.query('select 1 from users where id = $1')"],
    ['in capitals', 'tx.query("SELECT * FROM USERS")'],
    ['behind a line break', 'tx.query(`select 1\n  from\n    users u`)'],
    ['in a list with commas', "tx.query('select 1 from plans p, users u where u.id = p.owner')"],
    ['behind a bracket', "tx.query('select 1 from (users u join plans p on p.owner = u.id)')"],
    ['behind "only"', "tx.query('select 1 from only users')"],
    ['in quotation marks', `tx.query('select 1 from "users"')`],
    ['with its schema', "tx.query('select 1 from public.users')"],
    ['with its schema in quotation marks', `tx.query('select 1 from "public" . "users"')`],
    ['under an alias', "tx.query('select 1 from users as u')"],
    ['in a join', 'tx.query(`${select} left join users u on u.id = ${id}`)'],
    ['in a piece of a join', 'const joined = `users u on u.tenant_id = p.tenant_id`'],
    ['in a piece of a list', "const more = ', users u'"],
    ['in a piece of a list with its alias', "const first = 'users members, plans p'"],
    ['with its alias', "const relation = 'users u'"],
    ['as a name that a statement is put together with', "const table = 'users'"],
    ['as the name of an entity', "tx.getRepository('users')"],
    ['in a count of what exists', 'tx.query(`select count(*) where exists (select from users)`)'],
    ['in a change', "tx.query('update users set name = $1')"],
    ['in an insertion', "tx.query('insert into users (id) values ($1)')"],
    ['in a deletion by another table', "tx.query('delete from plans p using users u where u.id = p.owner')"],
    ['in a lock', "tx.query('lock table plans, users')"],
    ['in a truncation', "tx.query('truncate users')"],
    ['in text that is added up', "tx.query('select 1 ' + 'from us' + 'ers')"],
    ['in text that is added up with a value', "tx.query('select 1 from plans, ' + 'users where id = ' + id)"],
    ['with an escape', "tx.query('select 1 from us\\u0065rs')"],
    ['behind a comment of SQL', 'tx.query(`select 1 from /* the. Members */ users`)'],
    ['beside text with a full stop', "tx.query(`select 'No. Never.' from users`)"],
    ['in a template within a template', "tx.query(`select 1 ${all ? '' : `from users`}`)"],
  ])('%s', (_, source) => {
    expect(namedTables(source, ['users'])).toEqual([{ table: 'users', line: 1 }]);
  });

  it('as an imported entity', () => {
    expect(foreignEntities('auth/me.reader.ts', "import { User } from '../tenancy/directory/user.entity.js';")).toEqual(
      ['auth/me.reader.ts imports tenancy/directory/user.entity.js'],
    );
    expect(foreignEntities('auth/me.reader.ts', "export * from '../tenancy/user.entity.js';")).toHaveLength(1);
    expect(foreignEntities('auth/me.reader.ts', "await import('../tenancy/user.entity.js')")).toHaveLength(1);
  });
});

describe('no table is found', () => {
  it.each([
    ['in a comment', "// select 1 from users\n/** from users */ tx.query('select 1')"],
    ['in an identifier', 'const users = select(from(users))'],
    ['in a type', "type Table = 'users'"],
    ['in an import', "import { users } from 'users'"],
    ['in prose', 'throw conflict(`Delete the users from "${name}" first. Ask an admin.`)'],
    ['in a title', "const title = 'Users gone'"],
    ['in a column', "tx.query('select p.users from plans p')"],
    ['in what a column is called', "tx.query('select count(*) as users from plans')"],
    ['in a path into JSON', "tx.query(`select p.content #> '{library,users}' from plans p`)"],
    ['in a longer name', "tx.query('select 1 from users_of_plans join all_users on true')"],
  ])('%s', (_, source) => {
    expect(namedTables(source, ['users'])).toEqual([]);
  });

  it('in an entity of the same module, or in a type of another module', () => {
    expect(foreignEntities('auth/login/a.ts', "import { Session } from '../sessions/session.entity.js';")).toEqual([]);
    expect(foreignEntities('plans/a.ts', "import type { User } from '../tenancy/user.entity.js';")).toEqual([]);
    expect(foreignEntities('plans/a.ts', "import { type User } from '../tenancy/user.entity.js';")).toEqual([]);
  });
});
