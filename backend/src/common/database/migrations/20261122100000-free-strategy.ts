import type { MigrationInterface, QueryRunner } from 'typeorm';

export class FreeStrategy20261122100000 implements MigrationInterface {
  name = 'FreeStrategy20261122100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table host_results
        -- A decision covered the failure on this host; the step may continue on other hosts.
        add column answered boolean not null default false;
      alter table execution_slices
        -- Last step up to which its hosts advance independently; null = only this step.
        add column last_step integer;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
