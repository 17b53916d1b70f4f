import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/** Keeps changes of the state and the facts of servers: the newest 200 of each. */
export class ServerChanges20261129000500 implements MigrationInterface {
  name = 'ServerChanges20261129000500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists server_changes (
        tenant_id uuid not null,
        server_id uuid not null,
        -- Time of the check or run that noticed the change.
        at timestamptz not null,
        -- \`state\`, or the name of a fact.
        name text not null,
        old_value text,
        new_value text,
        primary key (tenant_id, server_id, at, name),
        foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
      )`);
    await protectTenantTable(runner, 'server_changes', 'select, insert, update, delete');
    await runner.query(`
      create or replace function note_server_change() returns trigger language plpgsql as $$
        begin
          insert into server_changes (tenant_id, server_id, at, name, old_value, new_value)
            select new.tenant_id, new.id, coalesce(new.checked_at, now()), c.name, c.old_value, c.new_value
              from (select 'state' as name, old.state as old_value, new.state as new_value
                union all
                -- Facts that were read for the first time are no changes.
                select n.key, o.value, n.value from jsonb_each_text(new.facts) n
                  join jsonb_each_text(old.facts) o on o.key = n.key
                  -- Free space changes at each check.
                  where n.key <> 'diskFreeMb'
                    -- Hosts compute it from their uptime, in whole seconds.
                    and (n.key <> 'bootedAt' or o.value is null or n.value is null
                      or abs(extract(epoch from n.value::timestamptz - o.value::timestamptz)) > 120)) c
              where c.old_value is distinct from c.new_value
            on conflict (tenant_id, server_id, at, name)
              do update set new_value = excluded.new_value;
          if found then
            delete from server_changes where tenant_id = new.tenant_id and server_id = new.id and at < (
              select at from server_changes where tenant_id = new.tenant_id and server_id = new.id
                order by at desc offset 199 limit 1);
          end if;
          return null;
        end
      $$;
      drop trigger if exists servers_changed on servers;
      create trigger servers_changed after update of state, facts on servers
        for each row when ((old.state <> new.state)
          or ((old.facts - 'diskFreeMb'::text) is distinct from (new.facts - 'diskFreeMb'::text)))
        execute function note_server_change()`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
