import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Idempotency keys are stored with their response, in the transaction of the change. A key without a response is
 * useless.
 */
export class StoredAnswers20261123180000 implements MigrationInterface {
  name = 'StoredAnswers20261123180000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table idempotency_keys no force row level security;
      delete from idempotency_keys where status is null or response is null;
      alter table idempotency_keys force row level security;
      alter table idempotency_keys alter column status set not null, alter column response set not null;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
