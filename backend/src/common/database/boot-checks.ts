import type { DataSource } from 'typeorm';
import { APP_ROLE } from './connection.js';

/** Tables with a `tenant_id` that are read before any tenant is known; they hold no tenant data. */
const DIRECTORY_TABLES = ['auth_directory'];

interface TableRow {
  name: string;
  forced: boolean;
  owned: boolean;
  policies: { using: string | null; check: string | null; command: string; permissive: boolean }[];
}

/**
 * Proves the second wall before the first request (design: security.md): the session's role can't bypass row-level
 * security, and each tenant table forces exactly one policy on `tenant_id`.
 * @returns one line per fault; none when the wall stands
 */
export async function checkTenantWall(dataSource: DataSource): Promise<string[]> {
  const [role] = await dataSource.query<{ name: string; rolsuper: boolean; rolbypassrls: boolean }[]>(
    `select current_user as name, rolsuper, rolbypassrls from pg_roles where rolname = current_user`,
  );
  const faults: string[] = [];
  if (role?.name !== APP_ROLE)
    faults.push(`The application runs as database role ${role?.name ?? 'unknown'}, not ${APP_ROLE}.`);
  if (role?.rolsuper || role?.rolbypassrls) faults.push(`Database role ${role.name} can bypass row-level security.`);
  const tables = await dataSource.query<TableRow[]>(
    `select c.relname as name, (c.relrowsecurity and c.relforcerowsecurity) as forced,
        pg_has_role(current_user, c.relowner, 'member') as owned,
        coalesce((select json_agg(json_build_object('using', p.qual, 'check', p.with_check, 'command', p.cmd, 'permissive', p.permissive = 'PERMISSIVE'))
          from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname), '[]') as policies
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> all ($1)
      order by c.relname`,
    [DIRECTORY_TABLES],
  );
  if (tables.length === 0) faults.push('The database holds no tenant tables; run the migrations.');
  for (const table of tables) faults.push(...tableFaults(table));
  return faults;
}

function tableFaults(table: TableRow): string[] {
  const faults: string[] = [];
  if (!table.forced) faults.push(`Table ${table.name} does not force row-level security.`);
  if (table.owned) faults.push(`Table ${table.name} belongs to the application's own role.`);
  const [policy, ...more] = table.policies;
  if (!policy || more.length > 0 || policy.command !== 'ALL' || !isWall(policy.using) || !isWall(policy.check)) {
    faults.push(`Table ${table.name} does not have exactly the one tenant policy.`);
  }
  return faults;
}

// PostgreSQL prints the expression back with its own parentheses and casts; blanks and those aside it must be this.
const WALL = `tenant_id=nullifcurrent_setting'app.tenant',true,''::uuid`;
const isWall = (expression: string | null): boolean =>
  (expression ?? '')
    .toLowerCase()
    .replaceAll('::text', '')
    .replace(/[\s()]/g, '') === WALL;
