import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages about something else than a run, and what of a schedule has been told. */
export class ServiceNotices20261218000000 implements MigrationInterface {
  name = 'ServiceNotices20261218000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- What the event told, of one that is about no run.
      alter table notification_deliveries add column about jsonb;
      -- Why it started nothing, as it was told last; null: nothing was since it last started something or was taken over.
      alter table schedules add column told_code text;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
