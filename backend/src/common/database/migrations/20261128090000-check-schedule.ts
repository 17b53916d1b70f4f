import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Check schedule in a separate narrow table, so that a check does not update all indexes of the servers. Statement
 * triggers, not row triggers, keep labels and this table in step with the servers.
 */
export class CheckSchedule20261128090000 implements MigrationInterface {
  name = 'CheckSchedule20261128090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table server_checks (
        tenant_id uuid not null,
        server_id uuid not null,
        -- Copied from the server, so that an index finds due checks.
        environment_id uuid not null,
        enabled boolean not null,
        -- Start of the environment's interval; at most a tenth of it before the latest check.
        due_from timestamptz not null default 'epoch',
        -- Time of the request for an immediate check; null = none, or done.
        requested_at timestamptz,
        -- A worker holds it until this time. Then any worker may claim it.
        leased_until timestamptz,
        primary key (tenant_id, server_id),
        foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
        -- Space for the next version of a row in its page, so that a lease writes to no index.
      ) with (fillfactor = 70);

      -- The owner sees each tenant's rows here.
      alter table servers no force row level security;
      insert into server_checks (tenant_id, server_id, environment_id, enabled, due_from, requested_at, leased_until)
        select tenant_id, id, environment_id, enabled, check_due_from, check_requested_at, check_leased_until from servers;
      alter table servers force row level security;

      create index server_checks_due on server_checks (tenant_id, environment_id, due_from) where enabled;
      create index server_checks_requested on server_checks (tenant_id, requested_at)
        where requested_at is not null and enabled;

      create or replace function note_server_check() returns trigger language plpgsql as $$
        begin
          -- It is another machine now.
          new.facts := null;
          new.facts_at := null;
          return new;
        end $$;
      drop trigger servers_check_noted on servers;
      create trigger servers_check_noted before update of checked_at on servers
        for each row when (old.checked_at is not null and new.checked_at is null) execute function note_server_check();
      alter table servers drop column check_due_from, drop column check_requested_at, drop column check_leased_until;

      create function schedule_checks() returns trigger language plpgsql as $$
        begin
          -- The database checks the foreign key of each row with a cached plan. A plan from when the table was small
          -- reads all of it each time, so thousands of new servers need a new plan.
          if (select count(*) from stored) > 50 then discard plans; end if;
          insert into server_checks (tenant_id, server_id, environment_id, enabled)
            select s.tenant_id, s.id, s.environment_id, s.enabled from stored s;
          return null;
        end $$;
      create trigger servers_scheduled after insert on servers
        referencing new table as stored for each statement execute function schedule_checks();

      -- Each stored result of a check, of a run or of an accepted host key moves the next check. Uses the database
      -- clock, because the clock of a worker may be wrong by an hour.
      create function reschedule_checks() returns trigger language plpgsql as $$
        begin
          with stored as (
              -- Pairs the old and new row of each server by sorting: a join might be planned for one row and get
              -- thousands.
              select b.*, lag(b.environment_id) over each_server as old_environment_id,
                  lag(b.enabled) over each_server as old_enabled, lag(b.checked_at) over each_server as old_checked_at
                from (select 0 as turn, tenant_id, id, environment_id, enabled, checked_at, state from servers_before
                  union all select 1, tenant_id, id, environment_id, enabled, checked_at, state from servers_after) b
                window each_server as (partition by b.id order by b.turn)),
            changed as (
              select s.*, s.checked_at is distinct from s.old_checked_at as noted,
                  -- After an accepted key the login is still untested; without a time it is another machine.
                  s.checked_at is not null and s.state <> 'host_key_accepted' as seen
                from stored s where s.turn = 1 and (s.checked_at is distinct from s.old_checked_at
                  or s.environment_id <> s.old_environment_id or s.enabled <> s.old_enabled)),
            given as materialized (
              select h.*, e.check_interval_seconds as every
                from changed h
                join server_checks c on c.tenant_id = h.tenant_id and c.server_id = h.id
                left join environments e on e.tenant_id = h.tenant_id and e.id = h.environment_id
                order by c.server_id for no key update of c)
            update server_checks c set environment_id = g.environment_id, enabled = g.enabled,
                leased_until = case when not g.noted then c.leased_until end,
                requested_at = case when not (g.noted and g.seen) then c.requested_at end,
                due_from = case when not g.noted then c.due_from when not g.seen then 'epoch'
                  -- Servers that one run reached at the same time are due at different times.
                  else now() - coalesce(g.every, 0) * random() * interval '0.1 second' end
              from given g where c.tenant_id = g.tenant_id and c.server_id = g.id;
          return null;
        end $$;
      create trigger servers_rescheduled after update on servers
        referencing old table as servers_before new table as servers_after
        for each statement execute function reschedule_checks();

      -- Tenants with a server that is due for a check. Visits the tenants one by one, because row-level security shows
      -- one at a time. Returns only ids.
      create or replace function tenants_with_due_checks(p_lapse_seconds integer) returns setof uuid language plpgsql as $$
        declare t record;
        begin
          for t in select id from tenants order by id loop
            perform set_config('app.tenant', t.id::text, true);
            if exists (select from server_checks c where c.tenant_id = t.id and c.enabled and c.requested_at is not null
                  and c.requested_at > now() - make_interval(secs => p_lapse_seconds)
                  and (c.leased_until is null or c.leased_until < now()))
              or exists (select from environments e where e.tenant_id = t.id and e.check_interval_seconds is not null
                and exists (select from server_checks c where c.tenant_id = t.id and c.environment_id = e.id and c.enabled
                  and c.due_from <= now() - make_interval(secs => e.check_interval_seconds)
                  and (c.leased_until is null or c.leased_until < now())))
            then return next t.id;
            end if;
          end loop;
          perform set_config('app.tenant', '', true);
        end $$;
    `);
    await protectTenantTable(runner, 'server_checks');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
