import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RevisionMessages20261206090000 implements MigrationInterface {
  name = 'RevisionMessages20261206090000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['plan_revisions', 'script_revisions', 'template_revisions']) {
      await runner.query(`
        -- Null = no message. The API allows 500 characters, each of which may have a variation selector.
        alter table ${table} add column message text check (octet_length(message) between 1 and 4000)
      `);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['plan_revisions', 'script_revisions', 'template_revisions'])
      await runner.query(`alter table ${table} drop column message`);
  }
}
