import { APP_ROLE } from '../connection.js';
import { type Executor, row, rows, sql } from '../sql.js';

/** Tables with a `tenant_id` that Runward reads before it knows the tenant. They hold no tenant data. */
const DIRECTORY_TABLES = ['auth_directory'];

interface SecuredTableRow {
  name: string;
  forced: boolean;
  owned: boolean;
  policies: { using: string | null; check: string | null; command: string; permissive: boolean }[];
}

/**
 * Verifies row-level security before the first request: the session's role cannot bypass it, and each tenant table
 * forces exactly one policy on `tenant_id`.
 * @returns one line per fault
 */
export async function checkRowLevelSecurity(executor: Executor): Promise<string[]> {
  const role = await row(
    executor,
    sql<{ name: string; rolsuper: boolean; rolbypassrls: boolean }>`
      select current_user as name, rolsuper is true as rolsuper, rolbypassrls is true as rolbypassrls
        from pg_roles where rolname = current_user`,
  );
  const faults: string[] = [];
  if (role?.name !== APP_ROLE)
    faults.push(`The application runs as database role ${role?.name ?? 'unknown'}, not ${APP_ROLE}.`);
  if (role?.rolsuper || role?.rolbypassrls) faults.push(`Database role ${role.name} can bypass row-level security.`);
  const tables = await rows(
    executor,
    sql<SecuredTableRow>`select c.relname as name, (c.relrowsecurity and c.relforcerowsecurity) as forced,
        pg_has_role(current_user, c.relowner, 'member') as owned,
        coalesce((select json_agg(json_build_object('using', p.qual, 'check', p.with_check, 'command', p.cmd, 'permissive', p.permissive = 'PERMISSIVE'))
          from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname), '[]') as policies
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> all (${DIRECTORY_TABLES})
      order by c.relname`,
  );
  if (tables.length === 0) faults.push('The database has no tenant tables. Run the migrations.');
  for (const table of tables) faults.push(...findTableFaults(table));
  return faults;
}

/** Predefined roles that can read files or run programs on the server: equivalent to a superuser. */
const SERVER_FILE_ROLES = ['pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program'];

/**
 * Checks whether the login of the session could bypass row-level security: by an attribute, as member of a role, or as
 * owner of a table. SET ROLE NONE returns to this login.
 * @returns one line per fault
 */
export async function checkDatabaseLogin(executor: Executor): Promise<string[]> {
  const roles = await rows(
    executor,
    // The cast tells that the view has no null names.
    sql<{ login: string; name: string }>`select session_user as login, rolname::text as name from pg_roles
      where (rolsuper or rolbypassrls or rolcreaterole or rolreplication or rolname = any (${SERVER_FILE_ROLES}))
        and pg_has_role(session_user, oid, 'member')
      order by rolname = session_user desc, rolname limit 3`,
  );
  const tables = await rows(
    executor,
    sql<{ login: string; name: string }>`select session_user as login, relname as name from pg_class
      where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, to_regnamespace('pgboss'))
        and pg_has_role(session_user, relowner, 'member')
      order by relname limit 1`,
  );
  return [
    ...roles.map(
      ({ login, name }) => `Database login ${login} may act as ${name}, which can bypass row-level security.`,
    ),
    ...tables.map(({ login, name }) => `Database login ${login} owns tables (${name}) and can disable their policies.`),
  ];
}

function findTableFaults(table: SecuredTableRow): string[] {
  const faults: string[] = [];
  if (!table.forced) faults.push(`Table ${table.name} does not force row-level security.`);
  if (table.owned) faults.push(`Table ${table.name} belongs to the application's own role.`);
  // A restrictive policy can only reduce the visible rows.
  const [policy, ...more] = table.policies.filter(({ permissive }) => permissive);
  if (
    !policy ||
    more.length > 0 ||
    policy.command !== 'ALL' ||
    !isIsolationPolicy(policy.using) ||
    !isIsolationPolicy(policy.check)
  ) {
    faults.push(`Table ${table.name} does not have exactly the one tenant policy.`);
  }
  return faults;
}

// Expected policy expression, without parentheses, casts and blanks, which PostgreSQL adds when it prints an
// expression.
const ISOLATION_POLICY_EXPRESSION = `tenant_id=nullifcurrent_setting'app.tenant',true,''::uuid`;
const isIsolationPolicy = (expression: string | null): boolean =>
  (expression ?? '')
    .toLowerCase()
    .replaceAll('::text', '')
    .replace(/[\s()]/g, '') === ISOLATION_POLICY_EXPRESSION;
