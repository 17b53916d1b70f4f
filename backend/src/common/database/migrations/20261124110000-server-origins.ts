import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which record of which outside system a server is. */
export class ServerOrigins20261124110000 implements MigrationInterface {
  name = 'ServerOrigins20261124110000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table servers
        add column external_source text,
        add column external_id text,
        -- Its source did not name it any more; when it does again, it is switched on again.
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
