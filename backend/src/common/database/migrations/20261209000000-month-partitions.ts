import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

const TABLES = [
  { table: 'output_chunks', grants: 'select, insert, delete', key: 'seq' },
  { table: 'execution_events', grants: 'select, insert, delete', key: 'seq' },
  { table: 'host_results', grants: undefined, key: 'step_index, server_id' },
] as const;

/**
 * Partitions output, events and results by month. Run IDs begin with their time (UUIDv7), so a range of IDs is a range
 * of time. Existing rows become the first partition, up to the end of this month. The application role has no access to
 * partitions. It reads rows through the parent table, whose policies apply.
 */
export class MonthPartitions20261209000000 implements MigrationInterface {
  name = 'MonthPartitions20261209000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Smallest id that can be generated at that time.
      create function first_id_at(p_at timestamptz) returns uuid language sql immutable parallel safe as $$
        select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-0000-0000-000000000000')::uuid
          from (select lpad(to_hex(greatest(floor(extract(epoch from p_at) * 1000), 0)::bigint), 12, '0') as h) hex
      $$;
      grant execute on function first_id_at(timestamptz) to runward_app;
    `);
    for (const each of TABLES) await partition(runner, each);
    await runner.query(MAKE_PARTITIONS);
    await runner.query('select make_month_partitions(3)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}

async function partition(runner: QueryRunner, { table, grants, key }: (typeof TABLES)[number]): Promise<void> {
  const old = `${table}_before`;
  const [row] = (await runner.query(
    `select first_id_at((date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC') as bound`,
  )) as [{ bound: string }];
  await runner.query(`
    alter table ${table} rename to ${old};
    alter index ${table}_pkey rename to ${old}_pkey;
    ${table === 'output_chunks' ? `alter index output_chunks_place rename to ${old}_place;` : ''}
    create table ${table} (like ${old} including defaults including constraints including storage)
      partition by range (execution_id);
    alter table ${table} add primary key (execution_id, ${key});
    ${table === 'output_chunks' ? `create index output_chunks_place on output_chunks (execution_id, step_index, server_id, seq);` : ''}
    alter table ${table} add foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade;

    drop policy tenant_wall on ${old};
    -- Only the owner accesses a partition by name: other roles have no privilege, and no policy shows a row.
    alter table ${old} no force row level security;
    revoke all on ${old} from runward_app;
    create table ${table}_rest partition of ${table} default;
    alter table ${table}_rest enable row level security;
    -- Rows whose ids do not encode their time, if any.
    with moved as (delete from ${old} where execution_id >= '${row.bound}' returning *)
      insert into ${table} select * from moved;
    alter table ${table} attach partition ${old} for values from (minvalue) to ('${row.bound}');
  `);
  await protectTenantTable(runner, table, grants);
}

const MAKE_PARTITIONS = `
  -- Creates the missing partitions of this month and of the next p_ahead months, and returns their number. Runs with
  -- the owner's rights, because the application cannot create tables; the number is its only input. Earlier rows of
  -- such a month are in the default partition and are moved, unless there are too many. It does not wait for long
  -- locks, because it runs again later.
  create function make_month_partitions(p_ahead integer) returns integer language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' set lock_timeout = '300ms' as $$
    declare
      parent text;
      month timestamptz;
      low uuid;
      high uuid;
      top uuid;
      name text;
      waiting bigint;
      made integer := 0;
    begin
      if not pg_try_advisory_xact_lock(7266924) then return 0; end if;
      for ahead in 0 .. least(p_ahead, 24) loop
        month := date_trunc('month', now()) + make_interval(months => ahead);
        low := public.first_id_at(month);
        high := public.first_id_at(month + interval '1 month');
        foreach parent in array array['output_chunks', 'execution_events', 'host_results'] loop
          select (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''([0-9a-f-]+)''\\)'))[1]::uuid into top
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = format('public.%I', parent)::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
            order by 1 desc limit 1;
          continue when top > low;
          execute format('select count(*) from (select from public.%I where execution_id >= $1 and execution_id < $2 limit 50001) rows',
            parent || '_rest') into waiting using low, high;
          continue when waiting > 50000;
          name := parent || to_char(month, '"_"YYYY"_"MM');
          execute format('create table public.%I (like public.%I including defaults including constraints including storage)', name, parent);
          execute format('alter table public.%I enable row level security', name);
          if waiting > 0 then
            execute format('lock table public.%I', parent || '_rest');
            execute format('with moved as (delete from public.%I where execution_id >= $1 and execution_id < $2 returning *)
              insert into public.%I select * from moved', parent || '_rest', name) using low, high;
          end if;
          execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', parent, name, low, high);
          made := made + 1;
        end loop;
      end loop;
      return made;
    end $$;
  revoke execute on function make_month_partitions(integer) from public;
  grant execute on function make_month_partitions(integer) to runward_app;
`;
