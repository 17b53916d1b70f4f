import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class IdempotencyKeys20261120100400 implements MigrationInterface {
  name = 'IdempotencyKeys20261120100400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table idempotency_keys (
        tenant_id uuid not null references tenants (id),
        user_id uuid not null,
        key text not null,
        request_hash bytea not null,
        status integer,
        response jsonb,
        created_at timestamptz not null default now(),
        primary key (tenant_id, user_id, key),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      );
      create index idempotency_keys_age on idempotency_keys (tenant_id, created_at);
    `);
    await protectTenantTable(runner, 'idempotency_keys');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
