import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class Collections20261129090000 implements MigrationInterface {
  name = 'Collections20261129090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table collections (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        name text not null,
        description text not null,
        parent_id uuid,
        -- Starts of plans in the collection and its subfolders are refused in this period; null = no freeze.
        freeze_reason text,
        freeze_from timestamptz,
        freeze_until timestamptz,
        -- Who set it; with the name, because members may be removed.
        freeze_by uuid,
        freeze_by_name text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        unique (tenant_id, id),
        check (num_nulls(freeze_reason, freeze_from, freeze_until, freeze_by, freeze_by_name) in (0, 5)),
        foreign key (tenant_id, parent_id) references collections (tenant_id, id)
      );
      create unique index collections_name on collections (tenant_id, parent_id, lower(name)) nulls not distinct;
      create index collections_parent on collections (tenant_id, parent_id, id);

      alter table plans
        add column collection_id uuid,
        add foreign key (tenant_id, collection_id) references collections (tenant_id, id);
      create index plans_collection on plans (tenant_id, collection_id, id);

      alter table executions
        -- Reason of the admin who overrode a freeze; null = not overridden.
        add column freeze_override text,
        -- Earliest time for workers to claim the run; null = any time.
        add column not_before timestamptz;

      -- Ids of runs without a worker that need one: a lost notification, a dead worker, an expired pause, or an elapsed
      -- wait. Visits the tenants one by one, because row-level security shows one tenant at a time.
      create or replace function stalled_executions(p_limit integer)
      returns table (tenant_id uuid, execution_id uuid)
      language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants loop
          perform set_config('app.tenant', t.id::text, true);
          return query
            select e.tenant_id, e.id from executions e
            where e.finished_at is null and (
              e.status in ('PENDING', 'RUNNING', 'CANCELLING')
                and (e.lease_until < now() or (e.lease_until is null and case when e.not_before is null
                  then e.created_at < now() - interval '1 minute' else e.not_before <= now() end))
              or e.status = 'PAUSED' and e.pause_expires_at < now())
            order by e.id limit p_limit;
        end loop;
        perform set_config('app.tenant', '', true);
      end $$;
    `);
    await protectTenantTable(runner, 'collections');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
