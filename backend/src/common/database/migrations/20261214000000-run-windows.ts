import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RunWindows20261214000000 implements MigrationInterface {
  name = 'RunWindows20261214000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Null = any time.
      alter table environments add column run_windows jsonb;
      -- Reason of the admin who overrode the run windows; null = not overridden.
      alter table executions add column window_override text;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
