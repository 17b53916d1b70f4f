import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `plans/`. */
export const PLANS: ModuleSchema = {
  tables: String.raw`
    create table plan_folder_syncs (
      id uuid primary key,
      tenant_id uuid not null,
      git_source_id uuid not null,
      commit text not null,
      -- Why the commit could not be read; null = it was read.
      error text,
      -- Totals; the lists contain only the first items.
      counts jsonb not null,
      created jsonb not null,
      changed jsonb not null,
      removed jsonb not null,
      kept jsonb not null,
      invalid jsonb not null,
      created_at timestamptz not null default now(),
      unique (tenant_id, id),
      foreign key (tenant_id, git_source_id) references git_sources (tenant_id, id) on delete cascade
    );
    create index plan_folder_syncs_source on plan_folder_syncs (tenant_id, git_source_id, id);

    create table plan_folders (
      id uuid primary key,
      tenant_id uuid not null,
      git_source_id uuid not null,
      -- Relative to the repository root; empty = the root.
      path text not null,
      collection_id uuid not null,
      -- Member whose rights apply to saving the plans; null = the member was removed, and nothing is saved.
      set_up_by uuid,
      set_up_by_name text not null,
      -- Number of requests to apply the folder, and the latest request that was applied.
      wanted integer not null default 1,
      applied integer not null default 0,
      created_at timestamptz not null default now(),
      unique (tenant_id, id, git_source_id),
      unique (tenant_id, git_source_id, path),
      foreign key (tenant_id, collection_id) references collections (tenant_id, id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, git_source_id) references git_sources (tenant_id, id),
      foreign key (tenant_id, set_up_by) references users (tenant_id, id) on delete set null (set_up_by)
    );
    create index plan_folders_collection on plan_folders (tenant_id, collection_id);
    create index plan_folders_set_up_by on plan_folders (tenant_id, set_up_by);

    create table plans (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      description text not null,
      environment_id uuid,
      revision integer not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      collection_id uuid,
      git_folder_id uuid,
      git_source_id uuid,
      git_path text,
      -- Latest commit that changed it.
      git_commit text,
      check (num_nulls(git_folder_id, git_source_id, git_path, git_commit) = any (array[0, 4])),
      unique (tenant_id, id),
      foreign key (tenant_id, collection_id) references collections (tenant_id, id),
      foreign key (tenant_id, environment_id) references environments (tenant_id, id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, git_folder_id, git_source_id) references plan_folders (tenant_id, id, git_source_id)
    );
    create index plans_collection on plans (tenant_id, collection_id, id);
    create index plans_git_folder on plans (tenant_id, git_folder_id) where (git_folder_id is not null);
    -- PostgreSQL checks unique indexes in this order, and refusals name the first violated one.
    create unique index plans_name on plans (tenant_id, lower(name));
    create unique index plans_git_path on plans (tenant_id, git_source_id, git_path) where (git_source_id is not null);

    create table plan_revisions (
      id uuid primary key,
      tenant_id uuid not null,
      plan_id uuid not null,
      number integer not null,
      content jsonb not null,
      created_by uuid,
      created_at timestamptz not null default now(),
      -- Null = saved by fields. The content is authoritative; this is its original text.
      source_text text,
      message text,
      -- Origin of a revision that a git sync saved; its author is the member with the e-mail address of the commit, if
      -- any.
      git_origin jsonb,
      check ((created_by is not null) or (git_origin is not null)),
      check ((octet_length(message) >= 1) and (octet_length(message) <= 4000)),
      check (octet_length(source_text) <= ((4 * 1024) * 1024)),
      unique (tenant_id, id),
      unique (tenant_id, plan_id, number),
      foreign key (tenant_id, plan_id) references plans (tenant_id, id) on delete cascade
    );
  `,
  tenantTables: {
    plan_folder_syncs: 'select, insert, update, delete',
    plan_folders: 'select, insert, update, delete',
    plans: 'select, insert, update, delete',
    plan_revisions: 'select, insert, delete',
  },
};
