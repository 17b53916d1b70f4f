import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ServerOrigins20261124110000 implements MigrationInterface {
  name = 'ServerOrigins20261124110000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table servers
        add column external_source text,
        add column external_id text,
        -- Its source no longer lists it. When the source lists it again, the import enables it.
        add column disabled_by_import boolean not null default false,
        add constraint servers_external_whole check ((external_source is null) = (external_id is null));
      create unique index servers_external on servers (tenant_id, external_source, external_id)
        where external_source is not null;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
