import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class EnvironmentWalls20261120120000 implements MigrationInterface {
  name = 'EnvironmentWalls20261120120000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table environments
        add column access text not null default 'open' check (access in ('open', 'restricted')),
        add column protected boolean not null default false,
        add column required_approvals integer not null default 1 check (required_approvals between 1 and 100),
        add column allow_self_approval boolean not null default false,
        add column approval_ttl_seconds integer not null default 86400 check (approval_ttl_seconds > 0),
        add column allowed_modes text[] not null default '{}';

      create table environment_grants (
        tenant_id uuid not null,
        environment_id uuid not null,
        user_id uuid not null,
        level text not null check (level in ('view', 'run', 'approve')),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        primary key (tenant_id, environment_id, user_id),
        foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade,
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      );
      create index environment_grants_user on environment_grants (tenant_id, user_id);

      create table environment_variables (
        id uuid primary key,
        tenant_id uuid not null,
        environment_id uuid not null,
        key text not null,
        type text not null,
        secret boolean not null,
        -- jsonb, because values may be lists; the value of a secret is sealed instead.
        value jsonb,
        sealed_value bytea,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        -- Author; the name is stored too, because members may be deleted.
        updated_by uuid not null,
        updated_by_name text not null,
        version integer not null default 1,
        unique (tenant_id, id),
        unique (tenant_id, environment_id, key),
        check (case when secret then value is null and sealed_value is not null else value is not null and sealed_value is null end),
        foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
      );
    `);
    for (const table of ['environment_grants', 'environment_variables']) await protectTenantTable(runner, table);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
