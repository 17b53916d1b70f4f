import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When runs may begin in an environment, and runs that may begin in spite of that. */
export class RunWindows20261214000000 implements MigrationInterface {
  name = 'RunWindows20261214000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Null: at any time.
      alter table environments add column run_windows jsonb;
      -- Why an admin let it run outside of the windows; null: nobody did.
      alter table executions add column window_override text;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
