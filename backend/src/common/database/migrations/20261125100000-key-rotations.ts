import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class KeyRotations20261125100000 implements MigrationInterface {
  name = 'KeyRotations20261125100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table key_rotations (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        -- Null once the key was deleted, which is refused while the rotation is open.
        old_key_id uuid,
        new_key_id uuid,
        key_name text not null,
        -- Name of the new key until the rotation ends.
        new_key_name text not null,
        old_fingerprint text not null,
        new_fingerprint text not null,
        requested_by jsonb not null,
        created_by uuid not null,
        created_at timestamptz not null default now(),
        finished_at timestamptz,
        epoch integer not null default 0,
        lease_until timestamptz,
        unique (tenant_id, id),
        foreign key (tenant_id, created_by) references users (tenant_id, id),
        foreign key (tenant_id, old_key_id) references ssh_keys (tenant_id, id) on delete set null (old_key_id),
        foreign key (tenant_id, new_key_id) references ssh_keys (tenant_id, id) on delete set null (new_key_id)
      );
      create unique index key_rotations_open on key_rotations (tenant_id, old_key_id) where finished_at is null;
      create index key_rotations_old_key on key_rotations (tenant_id, old_key_id);
      create index key_rotations_new_key on key_rotations (tenant_id, new_key_id);
      create index key_rotations_created on key_rotations (tenant_id, id);

      create table key_rotation_hosts (
        tenant_id uuid not null references tenants (id),
        rotation_id uuid not null,
        -- No foreign keys: deleted servers and environments remain listed.
        server_id uuid not null,
        environment_id uuid not null,
        name text not null,
        state text not null default 'pending'
          check (state in ('pending', 'installed', 'switched', 'done', 'failed', 'given_up', 'left')),
        -- Why the host failed, or what it waits for.
        code text,
        message text,
        -- Latest requester, as in the audit trail. The rights are read again before each visit.
        requested_by jsonb not null,
        visits integer not null default 0,
        looked_at timestamptz,
        switched_at timestamptz,
        updated_at timestamptz not null default now(),
        primary key (tenant_id, rotation_id, server_id),
        foreign key (tenant_id, rotation_id) references key_rotations (tenant_id, id) on delete cascade
      );
      create index key_rotation_hosts_state on key_rotation_hosts (tenant_id, rotation_id, state, looked_at);
    `);
    await protectTenantTable(runner, 'key_rotations');
    await protectTenantTable(runner, 'key_rotation_hosts');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
