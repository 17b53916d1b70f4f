import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Addresses that several machines share, each with its own ports. Every other address belongs to one machine, on all
 * ports.
 */
export class SharedAddresses20261228040000 implements MigrationInterface {
  name = 'SharedAddresses20261228040000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table shared_addresses (
        tenant_id uuid not null references tenants (id),
        -- Canonical address, or a registered host name.
        address text not null,
        reason text not null,
        marked_by text not null,
        marked_at timestamptz not null default now(),
        primary key (tenant_id, address)
      );
    `);
    await protectTenantTable(runner, 'shared_addresses', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
