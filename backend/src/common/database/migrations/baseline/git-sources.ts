import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `git-sources/`. */
export const GIT_SOURCES: ModuleSchema = {
  tables: String.raw`
    create table git_sources (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      description text not null,
      url text not null,
      -- Null = the branch of the remote HEAD.
      branch text,
      ssh_key_id uuid,
      sealed_token bytea,
      token_user text,
      -- Incremented with each token; part of the seal context.
      token_version integer not null default 0,
      -- Accepted fingerprint. The key itself is stored when the remote first presents one with this fingerprint.
      host_key_fingerprint text,
      host_key jsonb,
      -- Key that the remote presented instead.
      seen_host_key jsonb,
      sync_every_seconds integer,
      sealed_webhook_secret bytea,
      webhook_version integer not null default 0,
      -- Result of the previous sync. The database defines the current commit; disks of machines hold copies.
      state text not null default 'new',
      head_branch text,
      commit text,
      synced_at timestamptz,
      files integer,
      bytes bigint,
      left_out_refs integer not null default 0,
      error_code text,
      error text,
      tried_at timestamptz,
      -- Pending request; time of the next sync by interval.
      requested_at timestamptz,
      due_at timestamptz,
      -- Owner of the sync: incremented with each owner.
      epoch integer not null default 0,
      lease_until timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      check ((ssh_key_id is null) or (sealed_token is null)),
      constraint git_sources_check1 check ((error_code is null) = (error is null)),
      check (state in ('new', 'ready', 'failed', 'host_key_unknown', 'host_key_changed')),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, ssh_key_id) references ssh_keys (tenant_id, id)
    );
    create index git_sources_key on git_sources (tenant_id, ssh_key_id) where (ssh_key_id is not null);
    create unique index git_sources_name on git_sources (tenant_id, lower(name));

    create table git_source_refs (
      tenant_id uuid not null,
      git_source_id uuid not null,
      -- refs/heads/… or refs/tags/…
      name text not null,
      commit text not null,
      primary key (tenant_id, git_source_id, name),
      foreign key (tenant_id, git_source_id) references git_sources (tenant_id, id) on delete cascade
    );

    -- Accepted calls, so that none is accepted twice.
    create table git_webhook_calls (
      tenant_id uuid not null,
      git_source_id uuid not null,
      key bytea not null,
      received_at timestamptz not null default now(),
      check (octet_length(key) = 32),
      primary key (tenant_id, git_source_id, key),
      foreign key (tenant_id, git_source_id) references git_sources (tenant_id, id) on delete cascade
    );
    create index git_webhook_calls_age on git_webhook_calls (tenant_id, git_source_id, received_at);
  `,
  tenantTables: {
    git_sources: 'select, insert, update, delete',
    git_source_refs: 'select, insert, update, delete',
    git_webhook_calls: 'select, insert, update, delete',
  },
};
