import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Addresses and host keys that a login proved or an approver confirmed. Only these are protected. Before, a server of a
 * protected environment protected its address and pinned keys from its registration, without proof.
 */
export class HostProofs20261220121700 implements MigrationInterface {
  name = 'HostProofs20261220121700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table environments
        -- Start of the protection; null = not protected.
        add column protected_since timestamptz;
      alter table servers
        -- Time when it joined its environment.
        add column environment_since timestamptz;
      alter table inventory_imports
        -- Whether an admin confirmed hosts that have proofs of servers in other environments.
        add column confirm_hosts boolean not null default false;

      create table host_proofs (
        tenant_id uuid not null,
        server_id uuid not null,
        -- Canonical registered or reached address.
        address text not null,
        port integer not null,
        -- Fingerprint of the host key; empty = the row covers only the address.
        fingerprint text not null,
        -- Time of the proof or of the confirmation, whatever was first.
        since timestamptz not null default clock_timestamp(),
        -- Null = not proved by a login.
        proved_at timestamptz,
        -- Origin of the login: check, schedule, enrolment, run, or upgrade; null if proved_at is null.
        proved_by text,
        -- Run of the login.
        execution_id uuid,
        -- Null = not confirmed by an approver of the environment.
        confirmed_at timestamptz,
        confirmed_by text,
        primary key (tenant_id, server_id, address, port, fingerprint),
        foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
      );
      create index host_proofs_address on host_proofs (tenant_id, address, port) where fingerprint = '';
      create index host_proofs_fingerprint on host_proofs (tenant_id, fingerprint) where fingerprint <> '';

      create function note_protection() returns trigger language plpgsql as $$
        begin
          new.protected_since := case when new.protected then clock_timestamp() end;
          return new;
        end $$;
      create trigger environments_created before insert on environments
        for each row execute function note_protection();
      create trigger environments_protected before update of protected on environments
        for each row when (old.protected <> new.protected) execute function note_protection();

      create function note_environment() returns trigger language plpgsql as $$
        begin
          new.environment_since := clock_timestamp();
          return new;
        end $$;
      create trigger servers_transferred before update of environment_id on servers
        for each row when (old.environment_id <> new.environment_id) execute function note_environment();

      create function forget_host_proofs() returns trigger language plpgsql as $$
        begin
          -- It may be another machine now. Unpinned keys remain protected.
          delete from host_proofs where tenant_id = new.tenant_id and server_id = new.id;
          return null;
        end $$;
      create trigger servers_readdressed after update of hostname, port, jump_server_id on servers
        for each row when (old.hostname <> new.hostname or old.port <> new.port
          or old.jump_server_id is distinct from new.jump_server_id)
        execute function forget_host_proofs();

      -- The owner sees each tenant's rows here.
      alter table servers no force row level security;
      alter table environments no force row level security;
      alter table proved_host_keys no force row level security;
      alter table execution_hosts no force row level security;
      alter table host_results no force row level security;
      alter table shared_host_keys no force row level security;

      update environments set protected_since = created_at where protected;
      update servers set environment_since = created_at;
      alter table servers alter column environment_since set default clock_timestamp(),
        alter column environment_since set not null;

      -- Servers with a login, or with a key that a member accepted after the host presented it.
      create temporary table reached_servers on commit drop as
        select s.tenant_id, s.id, s.environment_id, coalesce(s.checked_at, s.updated_at) as at, s.state
          from servers s
          where s.last_reached_address is not null or s.state in ('reachable', 'host_key_accepted')
            or exists (select from proved_host_keys k where k.tenant_id = s.tenant_id and k.server_id = s.id)
            or exists (select from execution_hosts h
              join host_results r on r.tenant_id = h.tenant_id and r.execution_id = h.execution_id and r.server_id = h.server_id
              where h.tenant_id = s.tenant_id and h.server_id = s.id and h.hostname = s.hostname and h.port = s.port
                and r.status in ('SUCCEEDED', 'FAILED', 'TIMED_OUT'));

      create temporary table known_addresses on commit drop as
        select s.tenant_id, s.id, a.address, s.port
          from servers s cross join lateral (select s.address union select s.last_reached_address) a (address)
          where a.address is not null;
      create temporary table known_keys on commit drop as
        select s.tenant_id, s.id, coalesce(s.last_reached_address, s.address) as address, s.port, k.fingerprint
          from servers s cross join lateral (
            select p->>'fingerprint' from jsonb_array_elements(s.more_host_keys || coalesce(s.host_key, '[]')) p
              where not coalesce((p->>'authority')::boolean, false)
            union select k.fingerprint from proved_host_keys k where k.tenant_id = s.tenant_id and k.server_id = s.id
          ) k (fingerprint);
      create index on known_addresses (tenant_id, address, port);
      create index on known_keys (tenant_id, fingerprint);
      create index on reached_servers (tenant_id, id);
      analyze reached_servers, known_addresses, known_keys;

      -- Servers of protected environments keep their protection. Exceptions are unreached servers with the address or a
      -- key of a server that was reached in another environment: their registration blocked the runs of that server.
      create temporary table keepers on commit drop as
        select s.tenant_id, s.id, s.created_at from servers s
          join environments e on e.tenant_id = s.tenant_id and e.id = s.environment_id and e.protected
          where exists (select from reached_servers r where r.tenant_id = s.tenant_id and r.id = s.id)
            or not exists (
              select from known_addresses a
                join known_addresses o on o.tenant_id = a.tenant_id and o.address = a.address and o.port = a.port
                join reached_servers r on r.tenant_id = o.tenant_id and r.id = o.id and r.environment_id <> s.environment_id
                where a.tenant_id = s.tenant_id and a.id = s.id)
            and not exists (
              select from known_keys k
                join known_keys o on o.tenant_id = k.tenant_id and o.fingerprint = k.fingerprint
                join reached_servers r on r.tenant_id = o.tenant_id and r.id = o.id and r.environment_id <> s.environment_id
                where k.tenant_id = s.tenant_id and k.id = s.id
                  and not exists (select from shared_host_keys h where h.tenant_id = k.tenant_id and h.fingerprint = k.fingerprint));

      insert into host_proofs (tenant_id, server_id, address, port, fingerprint, since, confirmed_at, confirmed_by)
        select c.tenant_id, c.id, x.address, x.port, x.fingerprint, c.created_at, now(), 'upgrade'
          from keepers c
          join (select tenant_id, id, address, port, '' as fingerprint from known_addresses
            union select tenant_id, id, address, port, fingerprint from known_keys) x
            on x.tenant_id = c.tenant_id and x.id = c.id;

      insert into host_proofs (tenant_id, server_id, address, port, fingerprint, since, proved_at, proved_by)
        select r.tenant_id, r.id, x.address, x.port, x.fingerprint, r.at, r.at, 'upgrade'
          from reached_servers r
          join (select tenant_id, id, address, port, '' as fingerprint from known_addresses
            union select tenant_id, id, address, port, fingerprint from known_keys) x
            on x.tenant_id = r.tenant_id and x.id = r.id
          where r.state <> 'host_key_accepted'
        on conflict (tenant_id, server_id, address, port, fingerprint)
          do update set proved_at = excluded.proved_at, proved_by = excluded.proved_by;

      alter table servers force row level security;
      alter table environments force row level security;
      alter table proved_host_keys force row level security;
      alter table execution_hosts force row level security;
      alter table host_results force row level security;
      alter table shared_host_keys force row level security;
    `);
    await protectTenantTable(runner, 'host_proofs');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
