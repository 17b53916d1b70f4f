import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/** Folders of git sources whose files become plans, what became of them at each commit, and where such plans come from. */
export class PlanFolders20261207090000 implements MigrationInterface {
  name = 'PlanFolders20261207090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table plan_folders (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        git_source_id uuid not null,
        -- From the top of the repository; empty: the top itself.
        path text not null,
        collection_id uuid not null,
        -- Whose rights the plans are saved with; null: that member is gone, and nothing is saved.
        set_up_by uuid,
        set_up_by_name text not null,
        -- How often it was asked for to be applied, and up to which of these it was.
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
        -- Why nothing of the commit could be read; null: it was.
        error text,
        -- How many there are of each; the lists hold the first of them.
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
        -- The commit that it was last changed by.
        add column git_commit text,
        add check (num_nulls(git_folder_id, git_source_id, git_path, git_commit) in (0, 4)),
        add foreign key (tenant_id, git_folder_id, git_source_id) references plan_folders (tenant_id, id, git_source_id);
      create unique index plans_git_path on plans (tenant_id, git_source_id, git_path) where git_source_id is not null;
      create index plans_git_folder on plans (tenant_id, git_folder_id) where git_folder_id is not null;

      -- What a sync of a git source saved: by the member whose address the commit names, or by nobody.
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
