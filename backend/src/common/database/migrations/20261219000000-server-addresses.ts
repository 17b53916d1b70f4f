import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Canonical address of a server as a column. An index on the expression would not help: under row-level security,
 * PostgreSQL evaluates a function only after reading the rows.
 */
export class ServerAddresses20261219000000 implements MigrationInterface {
  name = 'ServerAddresses20261219000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table servers add column address text not null generated always as (canonical_address(hostname)) stored;
      drop index servers_address;
      create index servers_address on servers (tenant_id, address, port);
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
