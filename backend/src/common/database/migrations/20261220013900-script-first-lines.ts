import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Scripts run with the interpreter of their first line. Until now `/bin/sh` was stored for scripts without an
 * interpreter, even if the first line names another one. That default becomes "none", which does not override the first
 * line. Earlier runs keep their frozen interpreter.
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
