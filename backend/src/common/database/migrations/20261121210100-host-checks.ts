import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HostChecks20261121210100 implements MigrationInterface {
  name = 'HostChecks20261121210100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table host_results
        add column check_asked_at timestamptz,
        add column check_asked_by text,
        -- Time of the latest answer; older than the request while a check is running.
        add column checked_at timestamptz,
        add column check_finding text,
        add column check_message text
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
