import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class ServerVariables20261125110000 implements MigrationInterface {
  name = 'ServerVariables20261125110000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table server_variables (
        id uuid primary key,
        tenant_id uuid not null,
        server_id uuid not null,
        key text not null,
        type text not null,
        secret boolean not null,
        -- jsonb, because values may be lists. The value of a secret is sealed instead.
        value jsonb,
        sealed_value bytea,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        -- Who set it; with the name, because members may be removed.
        updated_by uuid not null,
        updated_by_name text not null,
        version integer not null default 1,
        unique (tenant_id, id),
        unique (tenant_id, server_id, key),
        check (case when secret then value is null and sealed_value is not null else value is not null and sealed_value is null end),
        foreign key (tenant_id, server_id) references servers (tenant_id, id) on delete cascade
      );

      alter table execution_hosts
        -- Plain values of the host's server at the start, by name; null = none.
        add column variables jsonb,
        -- Its secrets by name: version, and position among the run's sealed secrets; null = none.
        add column secrets jsonb;
    `);
    await protectTenantTable(runner, 'server_variables');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
