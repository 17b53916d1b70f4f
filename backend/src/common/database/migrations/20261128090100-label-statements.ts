import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Statement triggers keep labels in step with servers: a change of thousands of servers writes all labels at once. */
export class LabelStatements20261128090100 implements MigrationInterface {
  name = 'LabelStatements20261128090100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function label_servers() returns trigger language plpgsql as $$
        begin
          insert into server_labels (tenant_id, server_id, key, value)
            select s.tenant_id, s.id, n.key, n.value from stored s, labels_of(s.tags, s.facts) n;
          return null;
        end $$;

      create function relabel_servers() returns trigger language plpgsql as $$
        begin
          -- See schedule_checks.
          if (select count(*) from servers_after) > 50 then discard plans; end if;
          with stored as (
              -- Pairs the old and new row of each server by sorting: a join might be planned for one row and get
              -- thousands.
              select b.*, lag(b.tags) over each_server as old_tags, lag(b.facts) over each_server as old_facts
                -- Free space changes at each check and is not a label.
                from (select 0 as turn, tenant_id, id, tags, facts - 'diskFreeMb' as facts from servers_before
                  union all select 1, tenant_id, id, tags, facts - 'diskFreeMb' from servers_after) b
                window each_server as (partition by b.id order by b.turn)),
            changed as materialized (
              select s.* from stored s
                where s.turn = 1 and (s.tags is distinct from s.old_tags or s.facts is distinct from s.old_facts)),
            old_labels as materialized (
              select c.tenant_id, c.id, n.key, n.value from changed c, labels_of(c.old_tags, c.old_facts) n),
            new_labels as materialized (
              select c.tenant_id, c.id, n.key, n.value from changed c, labels_of(c.tags, c.facts) n),
            gone as (select tenant_id, id, key from old_labels except select tenant_id, id, key from new_labels),
            dropped as (delete from server_labels l using gone g
              where l.tenant_id = g.tenant_id and l.server_id = g.id and l.key = g.key)
            insert into server_labels as l (tenant_id, server_id, key, value)
              select tenant_id, id, key, value from new_labels except select tenant_id, id, key, value from old_labels
              on conflict (tenant_id, server_id, key) do update set value = excluded.value;
          return null;
        end $$;
      drop trigger servers_relabelled on servers;
      drop function relabel_server();
      create trigger servers_relabelled after update on servers
        referencing old table as servers_before new table as servers_after
        for each statement execute function relabel_servers();
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
