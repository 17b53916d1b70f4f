import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class AuditChain20261120130000 implements MigrationInterface {
  name = 'AuditChain20261120130000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Entries before this migration have neither; the chain begins with the first later entry.
      alter table audit_entries add column sequence bigint, add column hash bytea;
      create unique index audit_entries_sequence on audit_entries (tenant_id, sequence);
      create index audit_entries_actor on audit_entries (tenant_id, actor_id, sequence);

      create table audit_heads (
        tenant_id uuid primary key references tenants (id),
        sequence bigint not null,
        hash bytea not null,
        seal bytea not null
      );
    `);
    await protectTenantTable(runner, 'audit_heads', 'select, insert, update');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
