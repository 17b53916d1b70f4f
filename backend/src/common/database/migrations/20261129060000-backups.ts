import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records backups, so that every process and monitoring can see the age of the newest. */
export class Backups20261129060000 implements MigrationInterface {
  name = 'Backups20261129060000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists backups (
        id uuid primary key,
        -- Made by the schedule, not by the command.
        scheduled boolean not null,
        started_at timestamptz not null,
        ended_at timestamptz not null default now(),
        -- Name without its folder; null = written to standard output.
        file text,
        -- Null = failed.
        bytes bigint,
        -- Null = succeeded.
        error text,
        check ((bytes is null) <> (error is null))
      );
      create index if not exists backups_ended on backups (ended_at);
      grant select on backups to runward_app`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
