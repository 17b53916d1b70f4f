import type { MigrationInterface, QueryRunner } from 'typeorm';

/** State for resuming a change of the master key. The audit chain gets its own key, which survives such a change. */
export class MasterKeyRotation20261120140000 implements MigrationInterface {
  name = 'MasterKeyRotation20261120140000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table installation
        -- New key of a running key change.
        add column next_master_key_id text check (next_master_key_id <> master_key_id),
        -- Null until the first change: until then the chain's key is derived from the master key.
        add column sealed_audit_key bytea;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
