import type { MigrationInterface, QueryRunner } from 'typeorm';

export class StepReasons20261123170000 implements MigrationInterface {
  name = 'StepReasons20261123170000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table execution_steps add column reason_code text');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
