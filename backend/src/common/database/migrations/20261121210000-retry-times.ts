import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the next attempt of a step is due on a host: whoever drives the run by then waits for it. */
export class RetryTimes20261121210000 implements MigrationInterface {
  name = 'RetryTimes20261121210000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table host_results
        -- Null: no attempt is waited for.
        add column next_attempt_at timestamptz,
        -- What the attempt came to after which the next one is waited for.
        add column attempt_status text
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
