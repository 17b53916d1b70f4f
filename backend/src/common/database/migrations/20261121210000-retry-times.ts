import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RetryTimes20261121210000 implements MigrationInterface {
  name = 'RetryTimes20261121210000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table host_results
        -- Null = no attempt is scheduled.
        add column next_attempt_at timestamptz,
        -- Outcome of the attempt before the scheduled one.
        add column attempt_status text
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
