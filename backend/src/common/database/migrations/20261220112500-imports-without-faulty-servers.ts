import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ImportsWithoutFaultyServers20261220112500 implements MigrationInterface {
  name = 'ImportsWithoutFaultyServers20261220112500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table inventory_imports add column skip_faulty boolean not null default false');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
