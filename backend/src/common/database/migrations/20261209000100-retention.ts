import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class Retention20261209000100 implements MigrationInterface {
  name = 'Retention20261209000100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table executions
        add column pinned_at timestamptz,
        add column pinned_by uuid,
        add column pinned_by_name text,
        add column pin_note text,
        -- Bytes of output at the end of the run.
        add column stored_bytes bigint not null default 0;

      -- The owner sees each tenant's rows here.
      alter table executions no force row level security;
      alter table host_results no force row level security;
      update executions e set stored_bytes = r.bytes
        from (select execution_id, sum(output_bytes) as bytes from host_results group by 1) r
        where r.execution_id = e.id and e.finished_at is not null and r.bytes > 0;

      -- Finished runs and their bytes by environment, as partial sums. Each finished run adds its own row and waits for
      -- no lock. Retention passes merge the rows.
      create table execution_totals (
        id uuid primary key default gen_random_uuid(),
        tenant_id uuid not null references tenants (id),
        environment_id uuid not null,
        runs bigint not null,
        bytes bigint not null
      );
      create index execution_totals_environment on execution_totals (tenant_id, environment_id);
      insert into execution_totals (tenant_id, environment_id, runs, bytes)
        select tenant_id, environment_id, count(*), sum(stored_bytes) from executions where finished_at is not null group by 1, 2;
      alter table executions force row level security;
      alter table host_results force row level security;

      create index executions_removed on executions (tenant_id, id) where removed_at is not null;
      -- Latest run of a plan in an environment with each status.
      create index executions_last on executions (tenant_id, environment_id, plan_id, status, id)
        where finished_at is not null and execution_mode <> 'dry_run';

      -- Hides removed runs from every statement except those that delete them. Together with the tenant policy it can
      -- only hide more rows.
      create policy not_removed on executions as restrictive
        using (removed_at is null or current_setting('app.removed_runs', true) = 'shown') with check (true);

      create function count_ended_run() returns trigger language plpgsql as $$
        begin
          new.stored_bytes := coalesce((select sum(r.output_bytes) from host_results r where r.execution_id = new.id), 0);
          insert into execution_totals (tenant_id, environment_id, runs, bytes)
            values (new.tenant_id, new.environment_id, 1, new.stored_bytes);
          return new;
        end $$;
      create trigger executions_ended before update of finished_at on executions
        for each row when (old.finished_at is null and new.finished_at is not null) execute function count_ended_run();

      -- Retention rules. Without an environment = default for environments without their own rule. Null = no such
      -- limit.
      create table retention_rules (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        environment_id uuid,
        keep_days integer check (keep_days > 0),
        keep_runs integer check (keep_runs > 0),
        keep_bytes bigint check (keep_bytes > 0),
        updated_at timestamptz not null default now(),
        updated_by_name text not null,
        unique nulls not distinct (tenant_id, environment_id),
        foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
      );

      -- Due or running pass of a tenant, and the result of the previous one.
      create table retention_passes (
        tenant_id uuid primary key references tenants (id),
        due_at timestamptz not null default now(),
        requested_by_name text,
        -- A worker holds it until this time. Then any worker may claim it.
        lease_until timestamptz,
        begun_at timestamptz,
        runs bigint not null default 0,
        bytes bigint not null default 0,
        last_ended_at timestamptz,
        last_runs bigint,
        last_bytes bigint
      );

      -- Tenants with a due pass, or with removed runs that are not deleted yet. Visits the tenants one by one, because
      -- row-level security shows one at a time. Returns only ids.
      create function tenants_with_due_retention() returns setof uuid language plpgsql as $$
        declare t record;
        begin
          for t in select id from tenants order by id loop
            perform set_config('app.tenant', t.id::text, true);
            perform set_config('app.removed_runs', 'shown', true);
            if exists (select from executions e where e.tenant_id = t.id and e.removed_at is not null)
              or exists (select from retention_passes p where p.tenant_id = t.id and p.due_at <= now()
                and (p.lease_until is null or p.lease_until < now()))
            then return next t.id;
            end if;
          end loop;
          perform set_config('app.tenant', '', true);
          perform set_config('app.removed_runs', '', true);
        end $$;
      grant execute on function tenants_with_due_retention() to runward_app;

      -- Drops the partitions of past months without visible runs of any tenant, and returns their number. Like
      -- make_month_partitions, it runs with the owner's rights and does not wait for long locks.
      create function drop_spent_partitions() returns integer language plpgsql security definer
        set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' set lock_timeout = '300ms' as $$
        declare
          month record;
          t record;
          parent text;
          name text;
          tenant text := current_setting('app.tenant', true);
          removed text := current_setting('app.removed_runs', true);
          lived boolean;
          dropped integer := 0;
        begin
          if not pg_try_advisory_xact_lock(7266924) then return 0; end if;
          for month in
            select substr(c.relname, length('output_chunks') + 1) as suffix,
                (regexp_match(b.bound, 'FROM \\(''([0-9a-f-]+)''\\)'))[1]::uuid as low,
                (regexp_match(b.bound, 'TO \\(''([0-9a-f-]+)''\\)'))[1]::uuid as high
              from pg_inherits i join pg_class c on c.oid = i.inhrelid,
                lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
              where i.inhparent = 'public.output_chunks'::regclass and b.bound <> 'DEFAULT'
          loop
            -- One day of tolerance for wrong clocks of processes.
            continue when month.high > public.first_id_at(now() - interval '1 day');
            lived := false;
            for t in select id from public.tenants loop
              perform set_config('app.tenant', t.id::text, true);
              select exists (select from public.executions e where e.tenant_id = t.id and e.removed_at is null
                and (month.low is null or e.id >= month.low) and e.id < month.high) into lived;
              exit when lived;
            end loop;
            perform set_config('app.tenant', coalesce(tenant, ''), true);
            continue when lived;
            foreach parent in array array['output_chunks', 'execution_events', 'host_results'] loop
              name := parent || month.suffix;
              if to_regclass(format('public.%I', name)) is not null then
                execute format('drop table public.%I', name);
                dropped := dropped + 1;
              end if;
            end loop;
          end loop;
          perform set_config('app.removed_runs', coalesce(removed, ''), true);
          return dropped;
        end $$;
      revoke execute on function drop_spent_partitions() from public;
      grant execute on function drop_spent_partitions() to runward_app;
    `);
    for (const table of ['execution_totals', 'retention_rules', 'retention_passes'])
      await protectTenantTable(runner, table);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
