import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Tags of servers as rows. Under row-level security, an index serves only leakproof operators. `=` and `<` of text are
 * leakproof; those of jsonb are not.
 */
export class ServerLabels20261124100100 implements MigrationInterface {
  name = 'ServerLabels20261124100100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table server_labels (
        tenant_id uuid not null,
        server_id uuid not null,
        key text not null,
        value text not null,
        primary key (tenant_id, server_id, key),
        foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
      );
      create index server_labels_value on server_labels (tenant_id, key, value, server_id);

      -- Names with the same prefix are adjacent in this order, independent of the database locale.
      create index servers_name_prefix on servers (tenant_id, name collate "C");

      -- The owner sees each tenant's rows here.
      alter table servers no force row level security;
      insert into server_labels (tenant_id, server_id, key, value)
        select s.tenant_id, s.id, t.key, t.value from servers s, jsonb_each_text(s.tags) t;
      alter table servers force row level security;

      create function label_servers() returns trigger language plpgsql as $$
        begin
          insert into server_labels (tenant_id, server_id, key, value)
            select s.tenant_id, s.id, t.key, t.value from stored s, jsonb_each_text(s.tags) t;
          return null;
        end $$;
      create trigger servers_labelled after insert on servers
        referencing new table as stored for each statement execute function label_servers();

      create function relabel_server() returns trigger language plpgsql as $$
        begin
          delete from server_labels where tenant_id = old.tenant_id and server_id = old.id;
          insert into server_labels (tenant_id, server_id, key, value)
            select new.tenant_id, new.id, t.key, t.value from jsonb_each_text(new.tags) t;
          return null;
        end $$;
      create trigger servers_relabelled after update of tags on servers
        for each row when (old.tags is distinct from new.tags) execute function relabel_server();
    `);
    await protectTenantTable(runner, 'server_labels');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
