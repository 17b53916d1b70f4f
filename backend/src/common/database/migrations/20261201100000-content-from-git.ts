import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ContentFromGit20261201100000 implements MigrationInterface {
  name = 'ContentFromGit20261201100000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['script_revisions', 'template_revisions']) {
      await runner.query(`
        alter table ${table}
          -- No foreign key: old revisions outlive their git source. If set, the content is empty.
          add column git_source_id uuid,
          add column git_path text,
          -- Null = the branch of the source.
          add column git_ref text,
          add check (git_source_id is null or content = ''),
          add check ((git_source_id is null) = (git_path is null)),
          add check (git_ref is null or git_source_id is not null);
        create index ${table}_git on ${table} (tenant_id, git_source_id) where git_source_id is not null;
      `);
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
