import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Scripts are run by their first line. Until now `/bin/sh` was stored for each script that named no interpreter, and so
 * for every script whose first line names another program. That default becomes "none": it overrides no first line.
 * Runs that were started before keep the interpreter that they froze.
 */
export class ScriptFirstLines20261220013900 implements MigrationInterface {
  name = 'ScriptFirstLines20261220013900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The owner of the tables is behind the tenants' isolation boundary too, unless it is a superuser.
      alter table script_revisions no force row level security;
      update script_revisions set interpreter = null where interpreter = '/bin/sh';
      alter table script_revisions force row level security;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
