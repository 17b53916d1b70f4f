import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Plans in which each host goes on by itself. */
export class FreeStrategy20261122100000 implements MigrationInterface {
  name = 'FreeStrategy20261122100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table host_results
        -- A person has answered that it failed here; the step may go on on other hosts.
        add column answered boolean not null default false;
      alter table execution_slices
        -- Up to which step its hosts go on by themselves; null: they run only the one.
        add column last_step integer;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
