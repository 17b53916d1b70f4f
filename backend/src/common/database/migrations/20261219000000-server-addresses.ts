import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The address of a server in one spelling, kept with it. An index on the expression can't answer for the application:
 * behind row-level security a condition that calls a function is looked at only after the rows have been read.
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
