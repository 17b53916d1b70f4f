import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * All host keys that servers proved at a login. They identify two records of one machine even if each record pins
 * another key type.
 */
export class ProvedHostKeys20261130090000 implements MigrationInterface {
  name = 'ProvedHostKeys20261130090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table proved_host_keys (
        tenant_id uuid not null,
        server_id uuid not null,
        fingerprint text not null,
        proved_at timestamptz not null default clock_timestamp(),
        primary key (tenant_id, server_id, fingerprint),
        foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
      );
      create index proved_host_keys_fingerprint on proved_host_keys (tenant_id, fingerprint);

      create function forget_proved_host_keys() returns trigger language plpgsql as $$
        begin
          -- It may be another machine now.
          delete from proved_host_keys where tenant_id = new.tenant_id and server_id = new.id;
          return null;
        end $$;
      create trigger servers_moved after update of hostname, port, jump_server_id, host_key, more_host_keys on servers
        for each row when (old.hostname <> new.hostname or old.port <> new.port
          or old.jump_server_id is distinct from new.jump_server_id
          or old.host_key is distinct from new.host_key or old.more_host_keys <> new.more_host_keys)
        execute function forget_proved_host_keys();

      -- Result of comparing its proved keys with those of the run's other hosts. Null = not compared; false = same
      -- machine as another host, so nothing is started on it.
      alter table execution_hosts add column own_machine boolean;

      -- Hosts connect to one address in turn (an advisory lock), regardless of which of its keys is pinned.
      drop index execution_hosts_machine;
      create index execution_hosts_reached on execution_hosts (tenant_id, execution_id, reached_address)
        where reached_address is not null;
    `);
    await protectTenantTable(runner, 'proved_host_keys');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
