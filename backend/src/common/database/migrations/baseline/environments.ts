import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `environments/`. */
export const ENVIRONMENTS: ModuleSchema = {
  tables: String.raw`
    create table environments (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      description text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      access text not null default 'open',
      protected boolean not null default false,
      required_approvals integer not null default 1,
      allow_self_approval boolean not null default false,
      approval_ttl_seconds integer not null default 86400,
      allowed_modes text[] not null default '{}'::text[],
      host_journal boolean not null default true,
      -- Null = no automatic checks.
      check_interval_seconds integer,
      -- Null = any time.
      run_windows jsonb,
      -- Start of the protection; null = not protected.
      protected_since timestamptz,
      -- Whether runs may start if an author of their git content is not a member.
      unknown_authors text not null default 'show',
      protection_delay_seconds integer not null default 86400,
      check (access in ('open', 'restricted')),
      check (approval_ttl_seconds > 0),
      constraint environments_check_interval check ((check_interval_seconds >= 60) and (check_interval_seconds <= 604800)),
      check ((required_approvals >= 1) and (required_approvals <= 100)),
      constraint environments_unknown_authors_known check (unknown_authors in ('show', 'refuse')),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    );
    create unique index environments_name on environments (tenant_id, lower(name));

    create table environment_grants (
      tenant_id uuid not null,
      environment_id uuid not null,
      user_id uuid not null,
      level text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      check (level in ('view', 'run', 'approve')),
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
      check ( case when secret then ((value is null) and (sealed_value is not null)) else ((value is not null) and (sealed_value is null)) end),
      unique (tenant_id, id),
      unique (tenant_id, environment_id, key),
      foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
    );

    create table protection_changes (
      id uuid primary key,
      tenant_id uuid not null,
      environment_id uuid not null,
      state text not null default 'open',
      -- {setting: {from, to}}
      settings jsonb not null,
      reason text not null,
      is_override boolean not null default false,
      requested_by uuid not null,
      requested_by_name text not null,
      requested_at timestamptz not null default now(),
      -- From then on the requester may apply it alone; null = needs a second person.
      effective_at timestamptz,
      expires_at timestamptz not null,
      decided_by uuid,
      decided_by_name text,
      decided_at timestamptz,
      comment text,
      check (state in ('open', 'applied', 'rejected', 'withdrawn', 'expired')),
      unique (tenant_id, id),
      foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade
    );
    create index protection_changes_environment on protection_changes (tenant_id, environment_id, id desc);
    create unique index protection_changes_open on protection_changes (tenant_id, environment_id) where (state = 'open');
    create index protection_changes_overrides on protection_changes (tenant_id, environment_id, requested_at) where is_override;
  `,
  functions: String.raw`
    create function note_protection() returns trigger language plpgsql as $$
      begin
        new.protected_since := case when new.protected then clock_timestamp() end;
        return new;
      end
    $$;
  `,
  rules: String.raw`
    alter table given_rights add foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade;
    create trigger environments_created before insert on environments for each row
      execute function note_protection();
    create trigger environments_protected before update of protected on environments
      for each row when ((old.protected <> new.protected))
      execute function note_protection();
  `,
  tenantTables: {
    environments: 'select, insert, update, delete',
    environment_grants: 'select, insert, update, delete',
    environment_variables: 'select, insert, update, delete',
    protection_changes: 'select, insert, update, delete',
  },
};
