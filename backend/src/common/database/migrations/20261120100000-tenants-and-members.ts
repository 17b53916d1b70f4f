import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class TenantsAndMembers20261120100000 implements MigrationInterface {
  name = 'TenantsAndMembers20261120100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table tenants (
        id uuid primary key,
        name text not null,
        created_at timestamptz not null default now()
      );
      create unique index tenants_name on tenants (lower(name));

      create table users (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        email text not null,
        name text not null,
        role text not null check (role in ('viewer', 'operator', 'admin')),
        password_hash text,
        disabled_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        unique (tenant_id, id)
      );
      create unique index users_email on users (tenant_id, lower(email));

      create table sessions (
        id uuid primary key,
        tenant_id uuid not null,
        user_id uuid not null,
        secret_hash bytea not null,
        address text not null,
        user_agent text not null,
        created_at timestamptz not null default now(),
        last_seen_at timestamptz not null default now(),
        expires_at timestamptz not null,
        unique (tenant_id, id),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      );
      create index sessions_user on sessions (tenant_id, user_id);

      create table api_tokens (
        id uuid primary key,
        tenant_id uuid not null,
        user_id uuid not null,
        name text not null,
        prefix text not null,
        secret_hash bytea not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        last_used_address text,
        unique (tenant_id, id),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      );
      create unique index api_tokens_name on api_tokens (tenant_id, user_id, lower(name)) where revoked_at is null;

      -- Maps a credential to its tenant, by hash or public ID, before the tenant is known.
      -- Holds no secret and no tenant data, hence no row-level security.
      create table auth_directory (
        kind text not null check (kind in ('email', 'session', 'token')),
        key bytea not null,
        tenant_id uuid not null references tenants (id),
        record_id uuid not null,
        primary key (kind, key, tenant_id)
      );
      create index auth_directory_record on auth_directory (record_id);

      grant select, insert on tenants to runward_app;
      grant select, insert, delete on auth_directory to runward_app;
    `);
    for (const table of ['users', 'sessions', 'api_tokens']) await protectTenantTable(runner, table);
    await runner.query(`
      -- One round trip per request: finds the credential's tenant, sets it for row-level security in this
      -- transaction, and reads the current user. No row for an invalid credential or a disabled user.
      create function resolve_session(p_hash bytea, p_address text)
      returns table (credential_id uuid, tenant_id uuid, tenant_name text, user_id uuid, email text, user_name text, role text, token_prefix text, secret_hash bytea)
      language plpgsql as $$
      declare d record;
      begin
        select a.tenant_id, a.record_id into d from auth_directory a where a.kind = 'session' and a.key = p_hash;
        if not found then return; end if;
        perform set_config('app.tenant', d.tenant_id::text, true);
        update sessions s set last_seen_at = now(), address = p_address
          where s.id = d.record_id and s.last_seen_at < now() - interval '1 minute';
        return query
          select s.id, s.tenant_id, t.name, u.id, u.email, u.name, u.role, null::text, s.secret_hash
          from sessions s
          join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
          join tenants t on t.id = s.tenant_id
          where s.id = d.record_id and s.expires_at > now() and u.disabled_at is null;
      end $$;

      create function resolve_token(p_public_id bytea, p_address text)
      returns table (credential_id uuid, tenant_id uuid, tenant_name text, user_id uuid, email text, user_name text, role text, token_prefix text, secret_hash bytea)
      language plpgsql as $$
      declare d record;
      begin
        select a.tenant_id, a.record_id into d from auth_directory a where a.kind = 'token' and a.key = p_public_id;
        if not found then return; end if;
        perform set_config('app.tenant', d.tenant_id::text, true);
        return query
          select k.id, k.tenant_id, t.name, u.id, u.email, u.name, u.role, k.prefix, k.secret_hash
          from api_tokens k
          join users u on u.tenant_id = k.tenant_id and u.id = k.user_id
          join tenants t on t.id = k.tenant_id
          where k.id = d.record_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
            and u.disabled_at is null;
      end $$;
      grant execute on function resolve_session(bytea, text), resolve_token(bytea, text) to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
