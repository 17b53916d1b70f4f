import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class InventoryAndPlans20261120100200 implements MigrationInterface {
  name = 'InventoryAndPlans20261120100200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table environments (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        name text not null,
        description text not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        unique (tenant_id, id)
      );
      create unique index environments_name on environments (tenant_id, lower(name));

      create table ssh_keys (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        name text not null,
        type text not null,
        public_key text not null,
        fingerprint text not null,
        sealed_private_key bytea not null,
        last_used_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        unique (tenant_id, id)
      );
      create unique index ssh_keys_name on ssh_keys (tenant_id, lower(name));

      create table servers (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        environment_id uuid not null,
        name text not null,
        hostname text not null,
        port integer not null check (port between 1 and 65535),
        username text not null,
        ssh_key_id uuid not null,
        tags jsonb not null default '{}',
        enabled boolean not null default true,
        host_key jsonb,
        seen_host_key jsonb,
        last_check jsonb,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        unique (tenant_id, id),
        foreign key (tenant_id, environment_id) references environments (tenant_id, id),
        foreign key (tenant_id, ssh_key_id) references ssh_keys (tenant_id, id)
      );
      create unique index servers_name on servers (tenant_id, lower(name));
      create index servers_environment on servers (tenant_id, environment_id);
      create index servers_ssh_key on servers (tenant_id, ssh_key_id);

      create table plans (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        name text not null,
        description text not null,
        environment_id uuid,
        revision integer not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        unique (tenant_id, id),
        foreign key (tenant_id, environment_id) references environments (tenant_id, id)
      );
      create unique index plans_name on plans (tenant_id, lower(name));

      create table plan_revisions (
        id uuid primary key,
        tenant_id uuid not null,
        plan_id uuid not null,
        number integer not null,
        content jsonb not null,
        created_by uuid not null,
        created_at timestamptz not null default now(),
        unique (tenant_id, id),
        unique (tenant_id, plan_id, number),
        foreign key (tenant_id, plan_id) references plans (tenant_id, id) on delete cascade
      );
    `);
    for (const table of ['environments', 'ssh_keys', 'servers', 'plans']) await protectTenantTable(runner, table);
    // Revisions are immutable. They are deleted only with their plan, by the foreign key's cascade.
    await protectTenantTable(runner, 'plan_revisions', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
