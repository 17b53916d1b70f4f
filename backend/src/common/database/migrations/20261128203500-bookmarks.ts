import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class Bookmarks20261128203500 implements MigrationInterface {
  name = 'Bookmarks20261128203500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table if not exists bookmarks (
        id uuid primary key,
        tenant_id uuid not null,
        user_id uuid not null,
        name text not null,
        path text not null,
        created_at timestamptz not null default now(),
        unique (tenant_id, user_id, path),
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
      )`);
    await protectTenantTable(runner, 'bookmarks', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
