import type { MigrationInterface, QueryRunner } from 'typeorm';
import { closeToOlderCode } from './close-to-older-code.js';

export class LegalHolds20261228060200 implements MigrationInterface {
  name = 'LegalHolds20261228060200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table executions
        add column pinned_by_admin boolean not null default false,
        add column legal_hold boolean not null default false,
        -- Admin who last requested to lift the hold; another admin confirms within seven days.
        add column lift_by uuid,
        add column lift_by_name text,
        add column lift_at timestamptz;
    `);
    // Older code would let any operator remove a pin.
    await closeToOlderCode(runner, 4);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
