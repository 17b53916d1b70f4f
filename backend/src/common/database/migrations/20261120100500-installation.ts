import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records the master key of the stored secrets, so that a wrong key fails the start and not a run. */
export class Installation20261120100500 implements MigrationInterface {
  name = 'Installation20261120100500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table installation (
        only_row boolean primary key default true check (only_row),
        master_key_id text not null
      );
      grant select on installation to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
