import type { MigrationInterface, QueryRunner } from 'typeorm';

export class PlanTexts20261205090000 implements MigrationInterface {
  name = 'PlanTexts20261205090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Null = saved by fields. The content is authoritative; this is its original text.
      alter table plan_revisions add column source_text text check (octet_length(source_text) <= 4 * 1024 * 1024)
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table plan_revisions drop column source_text');
  }
}
