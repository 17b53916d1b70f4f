import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/** Identifies the machine behind a server: canonical registered address, reached address, and host key. */
export class HostMachines20261123120000 implements MigrationInterface {
  name = 'HostMachines20261123120000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index servers_address;

      -- Returns the same text as canonicalAddress in common/network/host-address.ts.
      create or replace function canonical_address(hostname text) returns text
        language plpgsql immutable strict parallel safe as $$
        declare
          bare text := rtrim(hostname, '.');
          -- Independent of the database locale: names are ASCII.
          name text := lower(bare collate "C");
          inner_name text;
          before_zone text;
          address inet;
          low bigint;
        begin
          if position(':' in name) = 0 or position('/' in name) > 0 then return name; end if;
          inner_name := case when bare like '[%]' then substr(bare, 2, length(bare) - 2) else bare end;
          before_zone := split_part(inner_name, '%', 1);
          address := before_zone::inet;
          if address << inet '::ffff:0.0.0.0/96' then
            return host(inet '0.0.0.0' + (address - inet '::ffff:0.0.0.0'));
          end if;
          if address << inet '::/96' then
            -- host() would print these with an embedded IPv4 address.
            low := address - inet '::';
            return case
              when low = 0 then '::'
              when low < 65536 then '::' || to_hex(low)
              else '::' || to_hex(low >> 16) || ':' || to_hex(low & 65535) end;
          end if;
          return host(address) || case
            when address << inet 'fe80::/10' and length(inner_name) > length(before_zone) + 1
            then substr(inner_name, length(before_zone) + 1) else '' end;
        exception when invalid_text_representation then
          return name;
        end $$;

      alter table servers
        -- Canonical address of the latest connection on which the host proved to own the pinned key.
        add column last_reached_address text,
        -- Registered before Runward refused a second registration of a machine.
        add column known_double boolean not null default false;

      -- The owner sees each tenant's rows here.
      alter table servers no force row level security;
      update servers s set known_double = true
        where exists (select 1 from servers o
          where o.tenant_id = s.tenant_id and o.environment_id = s.environment_id and o.port = s.port
            and o.username = s.username and canonical_address(o.hostname) = canonical_address(s.hostname) and o.id < s.id);
      alter table servers force row level security;

      -- Each connection of each run searches the servers of protected environments by these.
      create index servers_address on servers (tenant_id, canonical_address(hostname), port);
      create index servers_reached_address on servers (tenant_id, last_reached_address, port)
        where last_reached_address is not null;
      create index servers_host_key on servers (tenant_id, (host_key->>'fingerprint')) where host_key is not null;
      create unique index servers_machine
        on servers (tenant_id, environment_id, canonical_address(hostname), port, username) where not known_double;

      alter table execution_hosts
        -- Canonical address that the run connected to. Committed before the login begins.
        add column reached_address text;
      create unique index execution_hosts_machine
        on execution_hosts (tenant_id, execution_id, reached_address, port, username, (host_key->>'fingerprint'))
        where reached_address is not null;

      create table shared_host_keys (
        tenant_id uuid not null references tenants (id),
        fingerprint text not null,
        reason text not null,
        marked_at timestamptz not null default now(),
        primary key (tenant_id, fingerprint)
      );
    `);
    await protectTenantTable(runner, 'shared_host_keys', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
