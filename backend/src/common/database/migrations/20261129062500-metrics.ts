import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Loop over all tenants, because row-level security shows one tenant at a time. */
const forEachTenant = (body: string): string => `
  declare t record;
  begin
    for t in select id from tenants loop
      perform set_config('app.tenant', t.id::text, true);
      ${body}
    end loop;
    perform set_config('app.tenant', '', true);
  end`;

/** Function that returns the oldest time of each tenant with any. Returns no ids. */
const createOldestFunction = (name: string, query: string): string => `
  create or replace function ${name}() returns setof timestamptz language plpgsql as $$
  ${forEachTenant(`return query select oldest from (${query}) o where oldest is not null;`)} $$;
  grant execute on function ${name}() to runward_app;`;

/** Functions that read the metrics of all tenants. */
export class Metrics20261129062500 implements MigrationInterface {
  name = 'Metrics20261129062500';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create or replace function measure_runs()
        returns table (status text, reason text, since timestamptz) language plpgsql as $$
      ${forEachTenant(`return query
        select e.status, case when e.status = 'PAUSED' then lower(e.pause_reason)
              when e.lease_until > now() then null
              when e.status <> 'PENDING' then 'worker'
              when q.execution_id is not null then coalesce(q.reason, 'decision')
              when e.not_before > now() then 'window' else 'worker' end,
            case when e.status = 'PAUSED' then e.pause_since
              else coalesce(q.since, greatest(e.created_at, e.start_at, e.not_before, e.lease_until,
                (select max(a.decided_at) from approvals a where a.tenant_id = t.id and a.execution_id = e.id))) end
          from executions e left join guard_queue q on q.tenant_id = e.tenant_id and q.execution_id = e.id
          where e.tenant_id = t.id and e.finished_at is null;`)} $$;
      grant execute on function measure_runs() to runward_app;`);
    await runner.query(
      createOldestFunction(
        'oldest_outbox_events',
        'select min(created_at) as oldest from (select created_at from outbox_events where tenant_id = t.id order by position limit 1) e',
      ),
    );
    await runner.query(
      createOldestFunction(
        'oldest_due_webhook_deliveries',
        'select min(next_attempt_at) as oldest from webhook_deliveries where tenant_id = t.id and next_attempt_at <= now()',
      ),
    );
    await runner.query(
      createOldestFunction(
        'oldest_due_notifications',
        'select min(due_at) as oldest from notification_deliveries where tenant_id = t.id and due_at <= now()',
      ),
    );
    await runner.query(
      createOldestFunction(
        'oldest_due_schedules',
        'select min(due_at) as oldest from schedules where tenant_id = t.id and enabled and due_at <= now()',
      ),
    );
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
