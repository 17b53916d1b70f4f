import type { MigrationInterface, QueryRunner } from 'typeorm';

export class LoginTimeouts20261229040000 implements MigrationInterface {
  name = 'LoginTimeouts20261229040000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- In seconds; null = default of runs, checks and rotations.
      alter table servers add column login_timeout_seconds integer check (login_timeout_seconds between 5 and 120);
      alter table execution_hosts add column login_timeout_seconds integer;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
