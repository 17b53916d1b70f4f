import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class Library20261121110000 implements MigrationInterface {
  name = 'Library20261121110000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [records, one] of [
      ['scripts', 'script'],
      ['templates', 'template'],
    ] as const) {
      await runner.query(`
        create table ${records} (
          id uuid primary key,
          tenant_id uuid not null references tenants (id),
          name text not null,
          description text not null,
          revision integer not null,
          created_at timestamptz not null default now(),
          updated_at timestamptz not null default now(),
          version integer not null default 1,
          unique (tenant_id, id)
        );
        create unique index ${records}_name on ${records} (tenant_id, lower(name));

        create table ${one}_revisions (
          id uuid primary key,
          tenant_id uuid not null,
          record_id uuid not null,
          number integer not null,
          content text not null,
          -- Null for a template.
          interpreter text,
          created_by uuid not null,
          created_by_name text not null,
          created_at timestamptz not null default now(),
          unique (tenant_id, id),
          unique (tenant_id, record_id, number),
          foreign key (tenant_id, record_id) references ${records} (tenant_id, id) on delete cascade
        );
      `);
      await protectTenantTable(runner, records);
      // Revisions are immutable. They are deleted only with their record, by the foreign key's cascade.
      await protectTenantTable(runner, `${one}_revisions`, 'select, insert, delete');
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
