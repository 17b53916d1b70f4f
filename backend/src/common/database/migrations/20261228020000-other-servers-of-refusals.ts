import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Servers of other environments because of which imported or enrolled hosts were refused. Readers see only those that
 * are visible to them.
 */
export class OtherServersOfRefusals20261228020000 implements MigrationInterface {
  name = 'OtherServersOfRefusals20261228020000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table inventory_imports add column other_servers jsonb not null default '[]';
      -- Servers of the latest refusal.
      alter table enrolments add column refused_servers jsonb not null default '[]';
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
