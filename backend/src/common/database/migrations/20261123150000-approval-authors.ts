import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class ApprovalAuthors20261123150000 implements MigrationInterface {
  name = 'ApprovalAuthors20261123150000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table approval_authors (
        tenant_id uuid not null,
        execution_id uuid not null,
        round integer not null,
        user_id uuid not null,
        kind text not null check (kind in ('plan', 'script', 'template')),
        name text not null,
        -- Last revision that the author saved; null = its revisions were deleted.
        revision integer,
        primary key (execution_id, round, user_id),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
      -- Latest run of a plan in an environment.
      create index executions_begun on executions (tenant_id, plan_id, environment_id, started_at) where started_at is not null;
    `);
    // Finished approval rounds keep the single author that counted then. Waiting rounds get all writers of their
    // content.
    await runner.query(`
      insert into approval_authors (tenant_id, execution_id, round, user_id, kind, name, revision)
        select distinct on (execution_id, round, user_id) tenant_id, execution_id, round, user_id, kind, name, revision from (
          select a.tenant_id, a.execution_id, a.round, a.last_editor as user_id, 'plan' as kind, e.plan_name as name, e.plan_revision as revision
            from approvals a join executions e on e.id = a.execution_id where a.last_editor <> e.started_by
          union all select a.tenant_id, a.execution_id, a.round, r.created_by, 'plan', e.plan_name, r.number
            from approvals a join executions e on e.id = a.execution_id
            join plan_revisions r on r.tenant_id = e.tenant_id and r.plan_id = e.plan_id and r.number <= e.plan_revision
            where a.state = 'pending'
          union all select a.tenant_id, a.execution_id, a.round, r.created_by, 'script', used.value->>'name', r.number
            from approvals a join executions e on e.id = a.execution_id
            cross join jsonb_each(coalesce(e.snapshot #> '{library,scripts}', '{}')) used
            join script_revisions r on r.tenant_id = e.tenant_id and r.record_id = used.key::uuid and r.number <= (used.value->>'revision')::int
            where a.state = 'pending'
          union all select a.tenant_id, a.execution_id, a.round, r.created_by, 'template', used.value->>'name', r.number
            from approvals a join executions e on e.id = a.execution_id
            cross join jsonb_each(coalesce(e.snapshot #> '{library,templates}', '{}')) used
            join template_revisions r on r.tenant_id = e.tenant_id and r.record_id = used.key::uuid and r.number <= (used.value->>'revision')::int
            where a.state = 'pending'
        ) authors order by execution_id, round, user_id, kind, revision desc;
      alter table approvals drop column last_editor;
    `);
    await protectTenantTable(runner, 'approval_authors', 'select, insert, delete');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
