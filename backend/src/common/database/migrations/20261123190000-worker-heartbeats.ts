import type { MigrationInterface, QueryRunner } from 'typeorm';

export class WorkerHeartbeats20261123190000 implements MigrationInterface {
  name = 'WorkerHeartbeats20261123190000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table worker_heartbeats (
        name text primary key,
        started_at timestamptz not null default now(),
        seen_at timestamptz not null default now()
      );
      grant select, insert, update, delete on worker_heartbeats to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
