import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `tenancy/`. */
export const TENANCY: ModuleSchema = {
  tables: String.raw`
    -- Devices and networks that a member signed in from. Read before the tenant is known, also for accounts that do
    -- not exist, so the table belongs to no tenant and has no references. It stores only hashes: of a device's secret,
    -- or of a network's address.
    create table known_places (
      user_id uuid not null,
      kind text not null,
      key bytea not null,
      -- Whether a later sign-in came from it.
      returned boolean not null default false,
      last_used_at timestamptz not null default now(),
      check (octet_length(key) = 32),
      check (kind in ('device', 'network')),
      primary key (user_id, kind, key)
    );
    create index known_places_age on known_places (last_used_at);

    create table tenants (
      id uuid primary key,
      name text not null,
      created_at timestamptz not null default now()
    );
    create unique index tenants_name on tenants (lower(name));

    -- Maps a credential to its tenant, by hash or public ID, before the tenant is known. Holds no secret and no tenant
    -- data, hence no row-level security.
    create table auth_directory (
      kind text not null,
      key bytea not null,
      tenant_id uuid not null,
      record_id uuid not null,
      check (kind in ('email', 'session', 'token', 'password_link', 'enrolment', 'git_source', 'oidc_issuer')),
      primary key (kind, key, tenant_id),
      foreign key (tenant_id) references tenants (id)
    );
    create index auth_directory_record on auth_directory (record_id);

    create table users (
      id uuid primary key,
      tenant_id uuid not null,
      email text not null,
      name text not null,
      role text not null,
      password_hash text,
      disabled_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      kind text not null default 'person',
      description text not null default '',
      check (kind in ('person', 'service_account')),
      check (role in ('viewer', 'operator', 'admin')),
      constraint users_service_account check ((kind = 'person') or (password_hash is null)),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    );
    create unique index users_email on users (tenant_id, lower(email));
    create unique index users_service_account_name on users (tenant_id, lower(name)) where (kind = 'service_account');

    create table given_rights (
      tenant_id uuid not null,
      user_id uuid not null,
      -- Null = applies to the whole tenant.
      environment_id uuid,
      -- membership: added or enabled again. password: created a link to set the password, and could sign in as the
      -- member.
      kind text not null,
      given_by uuid not null,
      given_by_name text not null,
      given_at timestamptz not null default now(),
      check (kind in ('membership', 'role', 'password', 'grant')),
      unique nulls not distinct (tenant_id, user_id, environment_id, kind, given_by),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    );
    create index given_rights_environment on given_rights (tenant_id, environment_id) where (environment_id is not null);

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
  `,
  rules: String.raw`
    grant select, insert, delete, update on known_places to runward_app;
    alter table tenants enable row level security;
    grant select, insert on tenants to runward_app;
    create policy current_code on tenants using ((select demand_current_code())) with check (demand_current_code());
    alter table auth_directory enable row level security;
    grant select, insert, delete on auth_directory to runward_app;
    create policy current_code on auth_directory using ((select demand_current_code())) with check (demand_current_code());
  `,
  tenantTables: {
    users: 'select, insert, update, delete',
    given_rights: 'select, insert, update, delete',
    password_links: 'select, insert, update, delete',
  },
};
