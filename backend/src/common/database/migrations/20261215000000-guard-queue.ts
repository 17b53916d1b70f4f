import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Queue of runs that wait for a start time or for guard keys: the required keys, and the start of the wait. A run has a
 * row until it holds its keys or ends.
 */
export class GuardQueue20261215000000 implements MigrationInterface {
  name = 'GuardQueue20261215000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table executions
        add column on_overlap text not null default 'refuse' check (on_overlap in ('refuse', 'queue')),
        -- Earliest start; null = immediately.
        add column start_at timestamptz;

      create table guard_queue (
        tenant_id uuid not null,
        execution_id uuid not null,
        environment_id uuid not null,
        -- What the run waits for; null = an approval, or the end of a freeze.
        reason text check (reason in ('start_time', 'overlap')),
        since timestamptz not null default now(),
        -- Position in the tenant's queue for guard keys; null = not in this queue.
        arrival bigint,
        timeout_seconds integer not null,
        -- End of the wait; null = it waits for a decision or a freeze, which have their own deadlines.
        expires_at timestamptz,
        primary key (tenant_id, execution_id),
        unique (tenant_id, arrival),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
      create index guard_queue_environment on guard_queue (tenant_id, environment_id, arrival);

      -- Guard keys that the run waits for.
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
