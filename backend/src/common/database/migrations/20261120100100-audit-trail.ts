import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/** Audit trail. The application may only append and read. */
export class AuditTrail20261120100100 implements MigrationInterface {
  name = 'AuditTrail20261120100100';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_entries (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        at timestamptz not null default now(),
        actor_kind text not null check (actor_kind in ('user', 'system', 'anonymous')),
        actor_id uuid,
        actor_name text,
        token_prefix text,
        address text,
        request_id text,
        action text not null,
        resource_type text not null,
        resource_id uuid,
        resource_name text,
        before jsonb,
        after jsonb,
        unique (tenant_id, id)
      );
      create index audit_entries_resource on audit_entries (tenant_id, resource_id, id);
    `);
    await protectTenantTable(runner, 'audit_entries', 'select, insert');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
