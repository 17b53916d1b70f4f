import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ServiceNotices20261218000000 implements MigrationInterface {
  name = 'ServiceNotices20261218000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Data of an event that is not about a run.
      alter table notification_deliveries add column about jsonb;
      -- Last reported reason why it started nothing; null = none since its last start or change of owner.
      alter table schedules add column told_code text;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
