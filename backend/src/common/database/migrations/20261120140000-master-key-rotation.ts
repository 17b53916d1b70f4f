import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a change of the master key needs to be taken up again, and the audit chain's key, which outlives such a change. */
export class MasterKeyRotation20261120140000 implements MigrationInterface {
  name = 'MasterKeyRotation20261120140000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table installation
        -- The key that a change that has begun leads to.
        add column next_master_key_id text check (next_master_key_id <> master_key_id),
        -- Null until the first change: until then the chain's key is derived from the master key.
        add column sealed_audit_key bytea;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
