import { type Client, escapeIdentifier } from 'pg';
import { row, rows, sql } from '../common/database/sql.js';
import type { ArchivedSequence, ArchivedTable } from './archive-format.js';

/** Tables that no backup contains, with the reason. All others are included. */
export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  'public.runward_migrations': 'The migrations of the restore fill it. The header of the archive lists them.',
  'public.runward_restore': 'It marks an unfinished restore.',
  'public.worker_heartbeats': 'It lists running processes, and none of them uses the restored database.',
  'pgboss.version': 'The queue library of the restoring version creates and fills it.',
  'pgboss.queue_stats': 'Measurements of the queue library, in partitions that it creates.',
};

export interface DatabaseTable extends ArchivedTable {
  /** Whether row-level security also restricts the owner. */
  forced: boolean;
}

export const qualified = ({ schema, name }: { schema: string; name: string }): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(name)}`;

/** All tables with rows of their own, partitions instead of their parents, in the order of their names. */
export async function listTables(client: Client): Promise<DatabaseTable[]> {
  const found = await rows(
    client,
    sql<{
      schema: string;
      name: string;
      forced: boolean;
      parent: string | null;
      bound: string | null;
      columns: string[];
    }>`select n.nspname::text as schema, c.relname::text as name, (c.relrowsecurity and c.relforcerowsecurity) as forced,
        (select p.relname::text from pg_inherits i join pg_class p on p.oid = i.inhparent
          where i.inhrelid = c.oid and c.relispartition) as parent,
        pg_get_expr(c.relpartbound, c.oid) as bound,
        array(select a.attname::text from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
          order by a.attname) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'pgboss') and c.relkind = 'r'
      order by 1, 2`,
  );
  return found
    .filter(({ schema, name, parent }) => !isExcluded(schema, name) && !(parent && isExcluded(schema, parent)))
    .map(({ parent, bound, ...table }) => ({
      ...table,
      // The queue library creates the partitions of its own tables.
      partition: table.schema === 'public' && parent !== null && bound !== null ? { parent, bound } : null,
    }));
}

const isExcluded = (schema: string, name: string): boolean => `${schema}.${name}` in EXCLUDED_TABLES;

export async function listSequences(client: Client): Promise<ArchivedSequence[]> {
  return rows(
    client,
    sql<{ schema: string; name: string; value: string; called: boolean }>`
      select n.nspname::text as schema, c.relname::text as name,
        coalesce(pg_sequence_last_value(c.oid), s.seqstart)::text as value,
        (pg_sequence_last_value(c.oid) is not null) as called
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_sequence s on s.seqrelid = c.oid
      where n.nspname in ('public', 'pgboss') and not exists (
        select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i')
          and d.refobjid in (to_regclass('public.runward_migrations'), to_regclass('pgboss.queue_stats')))
      order by 1, 2`,
  );
}

/** Whether the session reads the rows of all tenants at once. Otherwise it reads one tenant after the other. */
export async function seesAllTenants(client: Client): Promise<boolean> {
  const role = await row(
    client,
    sql<{
      free: boolean;
    }>`select (rolsuper or rolbypassrls) is true as free from pg_roles where rolname = current_user`,
  );
  return role?.free ?? false;
}

export async function listTenantIds(client: Client): Promise<string[]> {
  const found = await rows(client, sql<{ id: string }>`select id from tenants order by id`);
  return found.map(({ id }) => id);
}

export async function enterTenant(client: Client, tenantId: string): Promise<void> {
  await row(client, sql`select set_config('app.tenant', ${tenantId}, true)`);
}

export async function readAuditHeads(
  client: Client,
  tenants: readonly string[],
): Promise<{ tenant: string; sequence: number; hash: string }[]> {
  const heads: { tenant: string; sequence: number; hash: string }[] = [];
  for (const tenant of tenants) {
    await enterTenant(client, tenant);
    const head = await row(
      client,
      sql<{ sequence: number; hash: string }>`
        select sequence::float8 as sequence, encode(hash, 'hex') as hash from audit_heads where tenant_id = ${tenant}`,
    );
    if (head) heads.push({ tenant, ...head });
  }
  await enterTenant(client, '');
  return heads;
}
