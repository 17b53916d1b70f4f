import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Runs that wait for a time or for the guard instead of being refused: what they want, and since when. A run has a row
 * here from its start until it has taken its keys, or is over.
 */
export class GuardQueue20261215000000 implements MigrationInterface {
  name = 'GuardQueue20261215000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table executions
        add column on_overlap text not null default 'refuse' check (on_overlap in ('refuse', 'queue')),
        -- Not before this time; null: at once.
        add column start_at timestamptz;

      create table guard_queue (
        tenant_id uuid not null,
        execution_id uuid not null,
        environment_id uuid not null,
        -- What it waits for; null: an approval, or the end of a freeze.
        reason text check (reason in ('start_time', 'overlap')),
        since timestamptz not null default now(),
        -- Its place among the runs of the tenant that wait for the guard; null: it does not stand in that line.
        arrival bigint,
        timeout_seconds integer not null,
        -- When it stops waiting; null: it waits for a person or a freeze, which have deadlines of their own.
        expires_at timestamptz,
        primary key (tenant_id, execution_id),
        unique (tenant_id, arrival),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
      create index guard_queue_environment on guard_queue (tenant_id, environment_id, arrival);

      -- The keys of the guard that it is going to take.
      create table guard_waits (
        tenant_id uuid not null,
        key text not null,
        execution_id uuid not null,
        primary key (tenant_id, key, execution_id),
        foreign key (tenant_id, execution_id) references guard_queue (tenant_id, execution_id) on delete cascade
      );
      create index guard_waits_execution on guard_waits (tenant_id, execution_id);
    `);
    await protectTenantTable(runner, 'guard_queue');
    await protectTenantTable(runner, 'guard_waits', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
