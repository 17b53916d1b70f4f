import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class MembersAndSignIn20261120110000 implements MigrationInterface {
  name = 'MembersAndSignIn20261120110000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table password_links (
        id uuid primary key,
        tenant_id uuid not null,
        user_id uuid not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        unique (tenant_id, id),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      );
      create index password_links_user on password_links (tenant_id, user_id);

      alter table auth_directory drop constraint auth_directory_kind_check;
      alter table auth_directory add constraint auth_directory_kind_check
        check (kind in ('email', 'session', 'token', 'password_link'));

      -- Token that created this token; its revocation revokes this token too.
      alter table api_tokens add column parent_token_id uuid;
      alter table api_tokens add foreign key (tenant_id, parent_token_id)
        references api_tokens (tenant_id, id) on delete cascade;
      create index api_tokens_parent on api_tokens (tenant_id, parent_token_id) where parent_token_id is not null;

      -- Failed sign-ins by the SHA-256 of an account's name or of a network. It is read before the tenant is known,
      -- and for accounts that do not exist, so it has no tenant; it holds no address in plain text.
      create table login_throttle (
        key bytea primary key check (octet_length(key) = 32),
        failures integer not null check (failures >= 0),
        last_failure_at timestamptz not null default now(),
        blocked_until timestamptz not null
      );
      create index login_throttle_age on login_throttle (last_failure_at);
      grant select, insert, update, delete on login_throttle to runward_app;
    `);
    await protectTenantTable(runner, 'password_links');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
