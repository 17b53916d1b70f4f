import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HeldRuns20261228100000 implements MigrationInterface {
  name = 'HeldRuns20261228100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create index executions_held on executions (tenant_id, id) include (environment_id, removed_at) where legal_hold',
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
