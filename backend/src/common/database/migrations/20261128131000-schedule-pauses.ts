import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Code and member of a pause. Reasons of times have only codes of the catalogue. */
export class SchedulePauses20261128131000 implements MigrationInterface {
  name = 'SchedulePauses20261128131000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table schedules add column if not exists paused_code text, add column if not exists paused_by uuid;
      update schedules set paused_code = case when paused_by_name = 'Runward' then 'owner_not_allowed' else 'person' end
        where not enabled and paused_code is null;
      update schedules set last_code = 'internal_error' where last_code = 'unexpected';
      update schedule_fires set code = 'internal_error' where code = 'unexpected'`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
