import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the answers to the pauses of a run without reading its hundred thousands of other events. */
export class PauseAnswers20261128204500 implements MigrationInterface {
  name = 'PauseAnswers20261128204500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create index if not exists execution_events_decisions on execution_events (execution_id, seq)
        where type = 'decision.made'`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
