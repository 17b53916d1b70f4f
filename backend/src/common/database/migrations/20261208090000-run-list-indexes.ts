import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index for each filter of the run list, in list order. Renewing a lease updates none of them. */
export class RunListIndexes20261208090000 implements MigrationInterface {
  name = 'RunListIndexes20261208090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Time of removal; removed runs are hidden. Each index below includes it, because the policy that hides such runs
      -- would otherwise read every row.
      alter table executions add column removed_at timestamptz;

      -- Filters of a member who sees few environments use one index: the environment index includes the columns of the
      -- other ones, and these include the environment. The mode is the only newly indexed column, and it rarely
      -- changes.
      drop index executions_environment, executions_plan, executions_status;
      create index executions_environment on executions (tenant_id, environment_id, id)
        include (plan_id, started_by, status, execution_mode, removed_at);
      create index executions_plan on executions (tenant_id, plan_id, id) include (environment_id, removed_at);
      create index executions_status on executions (tenant_id, status, id) include (environment_id, removed_at);
      create index executions_starter on executions (tenant_id, started_by, id) include (environment_id, removed_at);
      create index executions_mode on executions (tenant_id, execution_mode, id) include (environment_id, removed_at);
      drop index executions_parent;
      create index executions_parent on executions (tenant_id, parent_id, id) where parent_id is not null;

      -- Few runs are unfinished at a time, so a search for expired leases reads all of them. Without the lease in an
      -- index, lease renewals and output counters are HOT updates, which touch no index.
      drop index executions_unfinished;
      create index executions_unfinished on executions (tenant_id, id) where finished_at is null;
      alter table executions set (fillfactor = 85);
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
