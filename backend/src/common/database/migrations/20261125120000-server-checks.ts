import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ServerChecks20261125120000 implements MigrationInterface {
  name = 'ServerChecks20261125120000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table environments
        -- Null = no automatic checks.
        add column check_interval_seconds integer
          constraint environments_check_interval check (check_interval_seconds between 60 and 604800);

      alter table servers
        -- Start of the environment's interval; at most a tenth of it before the latest check.
        add column check_due_from timestamptz not null default 'epoch',
        -- Time of the request for an immediate check; null = none, or done.
        add column check_requested_at timestamptz,
        -- A worker holds it until this time. Then any worker may claim it.
        add column check_leased_until timestamptz,
        add column facts jsonb,
        add column facts_at timestamptz,
        add constraint servers_facts_whole check ((facts is null) = (facts_at is null));
      create index servers_check_due on servers (tenant_id, environment_id, check_due_from) where enabled;
      create index servers_check_requested on servers (tenant_id, check_requested_at)
        where check_requested_at is not null and enabled;

      -- Each stored result of a check, of a run or of an accepted host key moves the next check. Uses the database
      -- clock, because the clock of a worker may be wrong by an hour.
      create function note_server_check() returns trigger language plpgsql as $$
        declare every integer;
        begin
          new.check_leased_until := null;
          if new.checked_at is null then
            -- It is another machine now.
            new.check_due_from := 'epoch';
            new.facts := null;
            new.facts_at := null;
          elsif new.state = 'host_key_accepted' then
            -- It is not yet known whether the login succeeds.
            new.check_due_from := 'epoch';
          else
            select check_interval_seconds into every from environments
              where tenant_id = new.tenant_id and id = new.environment_id;
            -- Servers that one run reached at the same time are due at different times.
            new.check_due_from := now() - coalesce(every, 0) * random() * interval '0.1 second';
            new.check_requested_at := null;
          end if;
          return new;
        end $$;
      create trigger servers_check_noted before update of checked_at on servers
        for each row when (old.checked_at is distinct from new.checked_at) execute function note_server_check();

      -- Tenants with a server that is due for a check. Visits the tenants one by one, because row-level security shows
      -- one at a time. Returns only ids.
      create function tenants_with_due_checks(p_lapse_seconds integer) returns setof uuid language plpgsql as $$
        declare t record;
        begin
          for t in select id from tenants order by id loop
            perform set_config('app.tenant', t.id::text, true);
            if exists (select from servers s where s.tenant_id = t.id and s.enabled and s.check_requested_at is not null
                  and s.check_requested_at > now() - make_interval(secs => p_lapse_seconds)
                  and (s.check_leased_until is null or s.check_leased_until < now()))
              or exists (select from environments e where e.tenant_id = t.id and e.check_interval_seconds is not null
                and exists (select from servers s where s.tenant_id = t.id and s.environment_id = e.id and s.enabled
                  and s.check_due_from <= now() - make_interval(secs => e.check_interval_seconds)
                  and (s.check_leased_until is null or s.check_leased_until < now())))
            then return next t.id;
            end if;
          end loop;
          perform set_config('app.tenant', '', true);
        end $$;
      grant execute on function tenants_with_due_checks(integer) to runward_app;

      -- Facts are labels too, so that selectors find them. An older tag with the name of a fact overrides the fact.
      create function labels_of(tags jsonb, facts jsonb) returns table (key text, value text)
        language sql immutable as $$
          select t.key, t.value from jsonb_each_text(tags) t
          union all
          select 'facts.' || f.key, f.value from jsonb_each_text(facts) f
            where f.key in ('os', 'osVersion', 'kernel', 'kernelVersion', 'arch', 'cpus', 'memoryMb', 'init', 'hostname',
                'pythonVersion')
              and f.value is not null and not tags ? ('facts.' || f.key)
        $$;
      create or replace function relabel_server() returns trigger language plpgsql as $$
        begin
          delete from server_labels l where l.tenant_id = old.tenant_id and l.server_id = old.id
            and not exists (select from labels_of(new.tags, new.facts) n where n.key = l.key and n.value = l.value);
          insert into server_labels (tenant_id, server_id, key, value)
            select new.tenant_id, new.id, n.key, n.value from labels_of(new.tags, new.facts) n
            on conflict do nothing;
          return null;
        end $$;
      drop trigger servers_relabelled on servers;
      -- Not "update of facts": it would miss facts that the other trigger removes. Free space changes at each check.
      create trigger servers_relabelled after update on servers
        for each row when (old.tags is distinct from new.tags
          or (old.facts - 'diskFreeMb') is distinct from (new.facts - 'diskFreeMb'))
        execute function relabel_server();
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
