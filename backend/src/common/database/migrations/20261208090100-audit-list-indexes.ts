import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index for each filter of the audit trail, in chain order, which is also the list order. */
export class AuditListIndexes20261208090100 implements MigrationInterface {
  name = 'AuditListIndexes20261208090100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop index audit_entries_resource;
      create index audit_entries_resource on audit_entries (tenant_id, resource_id, sequence);
      create index audit_entries_action on audit_entries (tenant_id, action, sequence);
      create index audit_entries_resource_type on audit_entries (tenant_id, resource_type, sequence);
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
