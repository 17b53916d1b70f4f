import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class PlanFolders20261207090000 implements MigrationInterface {
  name = 'PlanFolders20261207090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table plan_folders (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
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
        foreign key (tenant_id, git_source_id) references git_sources (tenant_id, id),
        foreign key (tenant_id, collection_id) references collections (tenant_id, id),
        foreign key (tenant_id, set_up_by) references users (tenant_id, id) on delete set null (set_up_by)
      );
      create index plan_folders_collection on plan_folders (tenant_id, collection_id);
      create index plan_folders_set_up_by on plan_folders (tenant_id, set_up_by);

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

      alter table plans
        add column git_folder_id uuid,
        add column git_source_id uuid,
        add column git_path text,
        -- Latest commit that changed it.
        add column git_commit text,
        add check (num_nulls(git_folder_id, git_source_id, git_path, git_commit) in (0, 4)),
        add foreign key (tenant_id, git_folder_id, git_source_id) references plan_folders (tenant_id, id, git_source_id);
      create unique index plans_git_path on plans (tenant_id, git_source_id, git_path) where git_source_id is not null;
      create index plans_git_folder on plans (tenant_id, git_folder_id) where git_folder_id is not null;

      -- Origin of a revision that a git sync saved; its author is the member with the e-mail address of the commit, if
      -- any.
      alter table plan_revisions add column git_origin jsonb;
      alter table plan_revisions alter column created_by drop not null;
      alter table plan_revisions add check (created_by is not null or git_origin is not null);
    `);
    for (const table of ['plan_folders', 'plan_folder_syncs']) await protectTenantTable(runner, table);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
