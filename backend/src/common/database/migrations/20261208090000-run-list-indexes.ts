import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Each filter of the list of runs has an index in the order of the list; a lease that is renewed changes no index. */
export class RunListIndexes20261208090000 implements MigrationInterface {
  name = 'RunListIndexes20261208090000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- When somebody removed the run: nobody sees it any more. Each index below includes it, since the policy that hides such
      -- runs would otherwise have every row looked at.
      alter table executions add column removed_at timestamptz;

      -- What a member who sees few environments filters by is answered from one index: that of environments includes what the
      -- others are of, and theirs include the environment. No column comes into an index that was in none before, but for the
      -- mode, which hardly changes.
      drop index executions_environment, executions_plan, executions_status;
      create index executions_environment on executions (tenant_id, environment_id, id)
        include (plan_id, started_by, status, execution_mode, removed_at);
      create index executions_plan on executions (tenant_id, plan_id, id) include (environment_id, removed_at);
      create index executions_status on executions (tenant_id, status, id) include (environment_id, removed_at);
      create index executions_starter on executions (tenant_id, started_by, id) include (environment_id, removed_at);
      create index executions_mode on executions (tenant_id, execution_mode, id) include (environment_id, removed_at);
      drop index executions_parent;
      create index executions_parent on executions (tenant_id, parent_id, id) where parent_id is not null;

      -- Few runs are unfinished at a time: all of them are looked at for those whose lease is over. Without the lease in
      -- an index, its renewal and the counters of a flush are updates within the page (HOT), which touch no index at all.
      drop index executions_unfinished;
      create index executions_unfinished on executions (tenant_id, id) where finished_at is null;
      alter table executions set (fillfactor = 85);
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
