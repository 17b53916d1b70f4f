import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Servers that left a protected environment. Their addresses and keys remain protected until a second approver releases
 * them, or for a limited time.
 */
export class DepartedServers20261229020000 implements MigrationInterface {
  name = 'DepartedServers20261229020000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table departed_servers (
        id uuid primary key,
        tenant_id uuid not null,
        environment_id uuid not null,
        -- The server may be deleted.
        server_id uuid not null,
        server_name text not null,
        how text not null check (how in ('moved', 'deleted', 'readdressed', 'forgotten')),
        -- Null = unknown.
        left_by uuid,
        left_by_name text,
        left_at timestamptz not null default clock_timestamp(),
        -- Null = until a second person releases it.
        counts_until timestamptz,
        kept_by_name text,
        -- Whether an event reported it.
        reported boolean not null default false,
        unique (tenant_id, id),
        foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
      );
      create index departed_servers_environment on departed_servers (tenant_id, environment_id, id desc);
      create index departed_servers_over on departed_servers (tenant_id, environment_id, counts_until);
      create index departed_servers_unreported on departed_servers (tenant_id) where not reported;

      create table departed_proofs (
        tenant_id uuid not null,
        departure_id uuid not null,
        address text not null,
        port integer not null,
        -- Fingerprint of the host key; empty = the row covers only the address.
        fingerprint text not null,
        since timestamptz not null,
        confirmed_at timestamptz,
        primary key (tenant_id, departure_id, address, port, fingerprint),
        foreign key (tenant_id, departure_id) references departed_servers (tenant_id, id) on delete cascade
      );
      create index departed_proofs_address on departed_proofs (tenant_id, address, port) where fingerprint = '';
      create index departed_proofs_fingerprint on departed_proofs (tenant_id, fingerprint) where fingerprint <> '';

      -- Stores what a server protects in its environment. Call it before the server leaves.
      create function depart_server(of_tenant uuid, of_environment uuid, of_server uuid, of_name text, there_since timestamptz,
        in_way text) returns void language plpgsql as $$
        declare
          delay integer;
          departure uuid;
        begin
          select protection_delay_seconds into delay from environments
            where tenant_id = of_tenant and id = of_environment and protected;
          if not found then return; end if;
          if not exists (select from host_proofs where tenant_id = of_tenant and server_id = of_server) then return; end if;
          delete from departed_servers
            where tenant_id = of_tenant and environment_id = of_environment and counts_until <= clock_timestamp();
          -- UUIDv7, because lists are ordered by it.
          departure := encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
            placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid;
          insert into departed_servers (id, tenant_id, environment_id, server_id, server_name, how, left_by, left_by_name, counts_until)
            values (departure, of_tenant, of_environment, of_server, of_name, in_way,
              nullif(current_setting('app.caller_id', true), '')::uuid, nullif(current_setting('app.caller_name', true), ''),
              clock_timestamp() + make_interval(secs => delay));
          insert into departed_proofs (tenant_id, departure_id, address, port, fingerprint, since, confirmed_at)
            select of_tenant, departure, address, port, fingerprint, greatest(since, there_since), confirmed_at
              from host_proofs where tenant_id = of_tenant and server_id = of_server;
        end $$;

      create function note_departure() returns trigger language plpgsql as $$
        begin
          if tg_op = 'DELETE' then
            perform depart_server(old.tenant_id, old.environment_id, old.id, old.name, old.environment_since, 'deleted');
            return old;
          end if;
          -- Imports give servers temporary names first.
          perform depart_server(old.tenant_id, old.environment_id, old.id, new.name, old.environment_since,
            case when old.environment_id <> new.environment_id then 'moved' else 'readdressed' end);
          return new;
        end $$;
      create trigger servers_deleted before delete on servers for each row execute function note_departure();
      -- Runs before the trigger after the update deletes the proofs.
      create trigger servers_departing before update of environment_id, hostname, port, jump_server_id on servers for each row
        when (old.environment_id <> new.environment_id or old.hostname <> new.hostname or old.port <> new.port
          or old.jump_server_id is distinct from new.jump_server_id)
        execute function note_departure();
    `);
    await protectTenantTable(runner, 'departed_servers');
    await protectTenantTable(runner, 'departed_proofs');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
