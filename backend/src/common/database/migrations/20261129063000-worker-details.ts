import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Records what an operator needs to know of a living worker. Null: a worker of the previous version. */
export class WorkerDetails20261129063000 implements MigrationInterface {
  name = 'WorkerDetails20261129063000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table worker_heartbeats
        add column if not exists version text,
        add column if not exists run_slots integer,
        add column if not exists host_slots integer`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
