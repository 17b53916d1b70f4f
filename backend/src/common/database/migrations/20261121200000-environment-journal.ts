import type { MigrationInterface, QueryRunner } from 'typeorm';

export class EnvironmentJournal20261121200000 implements MigrationInterface {
  name = 'EnvironmentJournal20261121200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table environments add column host_journal boolean not null default true');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
