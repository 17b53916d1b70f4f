import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Scripts run with the interpreter of their first line. Until now `/bin/sh` was stored for each script without an
 * interpreter, even if its first line names another program. That default becomes "none", which overrides no first
 * line. Earlier runs keep the interpreter that they froze.
 */
export class ScriptFirstLines20261220013900 implements MigrationInterface {
  name = 'ScriptFirstLines20261220013900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Row-level security applies to the owner of the tables too, unless it is a superuser.
      alter table script_revisions no force row level security;
      update script_revisions set interpreter = null where interpreter = '/bin/sh';
      alter table script_revisions force row level security;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
