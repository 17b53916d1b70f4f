import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LegacyAlgorithms20261228010000 implements MigrationInterface {
  name = 'LegacyAlgorithms20261228010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table servers add column legacy_algorithms boolean not null default false;
      -- Null = false, as in all earlier runs.
      alter table execution_hosts add column legacy_algorithms boolean;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
