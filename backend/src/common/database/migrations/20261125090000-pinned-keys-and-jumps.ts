import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class PinnedKeysAndJumps20261125090000 implements MigrationInterface {
  name = 'PinnedKeysAndJumps20261125090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table servers
        -- In addition to host_key: further keys of the host, and authorities of host certificates.
        add column more_host_keys jsonb not null default '[]' check (jsonb_typeof(more_host_keys) = 'array'),
        -- Who changed the pinned keys last, and how.
        add column pinned_by text,
        add column pinned_how text,
        add column jump_server_id uuid,
        add constraint servers_jump_server foreign key (tenant_id, jump_server_id) references servers (tenant_id, id),
        add constraint servers_jump_other check (jump_server_id <> id);
      create index servers_jump_server on servers (tenant_id, jump_server_id) where jump_server_id is not null;

      alter table execution_hosts
        add column more_host_keys jsonb,
        -- No foreign key: the jump path of past runs is kept.
        add column jump_server_id uuid;

      create table server_host_keys (
        tenant_id uuid not null,
        server_id uuid not null,
        fingerprint text not null,
        type text not null,
        public_key text not null,
        -- Signs host certificates; it is not a key of the host.
        authority boolean not null,
        -- Null = pinned before this was recorded.
        pinned_at timestamptz,
        pinned_by text,
        pinned_how text,
        -- Null = pinned.
        retired_at timestamptz,
        retired_by text,
        retired_how text,
        foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
      );
      create unique index server_host_keys_pinned on server_host_keys (tenant_id, server_id, fingerprint, authority)
        where retired_at is null;
      create index server_host_keys_server on server_host_keys (tenant_id, server_id);
      create index server_host_keys_fingerprint on server_host_keys (tenant_id, fingerprint);

      -- The owner sees each tenant's rows here.
      alter table servers no force row level security;
      insert into server_host_keys (tenant_id, server_id, fingerprint, type, public_key, authority)
        select tenant_id, id, host_key->>'fingerprint', host_key->>'type', host_key->>'publicKey', false
          from servers where host_key is not null;
      alter table servers force row level security;

      create function note_host_keys() returns trigger language plpgsql as $$
        begin
          update server_host_keys k
            set retired_at = clock_timestamp(), retired_by = new.pinned_by, retired_how = new.pinned_how
            where k.tenant_id = new.tenant_id and k.server_id = new.id and k.retired_at is null
              and not exists (select 1 from jsonb_array_elements(new.more_host_keys || coalesce(new.host_key, '[]')) p
                where p->>'fingerprint' = k.fingerprint and coalesce((p->>'authority')::boolean, false) = k.authority);
          insert into server_host_keys
              (tenant_id, server_id, fingerprint, type, public_key, authority, pinned_at, pinned_by, pinned_how)
            select new.tenant_id, new.id, p->>'fingerprint', p->>'type', p->>'publicKey',
                coalesce((p->>'authority')::boolean, false), clock_timestamp(), new.pinned_by, new.pinned_how
              from jsonb_array_elements(new.more_host_keys || coalesce(new.host_key, '[]')) p
            on conflict (tenant_id, server_id, fingerprint, authority) where retired_at is null do nothing;
          -- The latest hundred are kept, because an external system may replace keys repeatedly.
          delete from server_host_keys k where k.tenant_id = new.tenant_id and k.server_id = new.id
            and k.retired_at < (select o.retired_at from server_host_keys o
              where o.tenant_id = new.tenant_id and o.server_id = new.id and o.retired_at is not null
              order by o.retired_at desc offset 99 limit 1);
          return null;
        end $$;
      create trigger servers_pinned after insert on servers
        for each row when (new.host_key is not null or new.more_host_keys <> '[]') execute function note_host_keys();
      create trigger servers_repinned after update of host_key, more_host_keys on servers
        for each row when (old.host_key is distinct from new.host_key or old.more_host_keys <> new.more_host_keys)
        execute function note_host_keys();

      -- The pinned keys are in a separate table now.
      drop index servers_host_key;
    `);
    await protectTenantTable(runner, 'server_host_keys');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
