import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class Enrolments20261126090000 implements MigrationInterface {
  name = 'Enrolments20261126090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table enrolments (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        -- No foreign keys: the host is notified of deleted records, and the enrolment is kept.
        environment_id uuid not null,
        ssh_key_id uuid not null,
        jump_server_id uuid,
        username text not null,
        port integer not null,
        -- Null = the host's own name.
        name text,
        tags jsonb not null,
        prefix text not null,
        secret_hash bytea not null check (octet_length(secret_hash) = 32),
        -- Creator, as in the audit trail. The rights are read again when a host registers.
        requested_by jsonb not null,
        created_by uuid not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        revoked_at timestamptz,
        -- Registered host, and the result.
        used_at timestamptz,
        server_id uuid,
        host_keys text[],
        -- Number of login attempts, and the lease of a running one.
        tries integer not null default 0,
        trying_until timestamptz,
        tried_at timestamptz,
        try_state text,
        try_message text,
        -- Number of refused hosts.
        refusals integer not null default 0,
        refused_at timestamptz,
        refused_address text,
        refused_message text,
        check ((used_at is null) = (server_id is null)),
        unique (tenant_id, id)
      );
      create index enrolments_environment on enrolments (tenant_id, environment_id, id);

      alter table auth_directory drop constraint auth_directory_kind_check;
      alter table auth_directory add constraint auth_directory_kind_check
        check (kind in ('email', 'password_link', 'session', 'token', 'enrolment'));
    `);
    await protectTenantTable(runner, 'enrolments');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
