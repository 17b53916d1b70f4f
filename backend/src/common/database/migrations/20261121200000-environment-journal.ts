import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An environment may keep Runward from leaving its journal on the hosts. */
export class EnvironmentJournal20261121200000 implements MigrationInterface {
  name = 'EnvironmentJournal20261121200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table environments add column host_journal boolean not null default true');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
