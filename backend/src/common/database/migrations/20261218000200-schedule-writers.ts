import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/**
 * Holders and restrictions of the token with which a member became owner of a schedule, and the authors of its content.
 */
export class ScheduleWriters20261218000200 implements MigrationInterface {
  name = 'ScheduleWriters20261218000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table schedules
        -- Members who saw the token with which the owner became the owner.
        add column owner_held_by uuid[] not null default '{}',
        -- Restrictions by that token; null = none.
        add column owner_limits jsonb;

      create table schedule_writers (
        tenant_id uuid not null,
        schedule_id uuid not null,
        user_id uuid not null,
        -- True = the member saw the token that was used for writing; false = the member wrote it.
        by_token boolean not null,
        -- Time of the latest write.
        at timestamptz not null,
        primary key (schedule_id, user_id),
        foreign key (tenant_id, schedule_id) references schedules (tenant_id, id) on delete cascade
      );

      -- Row-level security applies to the owner of the tables too, unless it is a superuser.
      alter table schedules no force row level security;
      alter table audit_entries no force row level security;
      -- The audit trail names who created and changed it, whatever the change was.
      insert into schedule_writers (tenant_id, schedule_id, user_id, by_token, at)
        select s.tenant_id, s.id, a.actor_id, false, max(a.at) from schedules s
          join audit_entries a on a.tenant_id = s.tenant_id and a.resource_id = s.id
          where a.action in ('schedule.create', 'schedule.update') and a.actor_id is not null
          group by s.tenant_id, s.id, a.actor_id;
      alter table schedules force row level security;
      alter table audit_entries force row level security;
    `);
    await protectTenantTable(runner, 'schedule_writers', 'select, insert, update');
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
