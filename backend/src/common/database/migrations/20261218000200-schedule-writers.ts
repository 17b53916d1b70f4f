import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/** What a schedule got from whoever became its owner beside their name, and who wrote what it runs. */
export class ScheduleWriters20261218000200 implements MigrationInterface {
  name = 'ScheduleWriters20261218000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table schedules
        -- Members who were shown the token with which the owner became the owner.
        add column owner_held_by uuid[] not null default '{}',
        -- What that token left of the owner's rights; null: all.
        add column owner_limits jsonb;

      create table schedule_writers (
        tenant_id uuid not null,
        schedule_id uuid not null,
        user_id uuid not null,
        -- They were shown the token that it was written with; false: they wrote it themselves.
        by_token boolean not null,
        -- When they last did.
        at timestamptz not null,
        primary key (schedule_id, user_id),
        foreign key (tenant_id, schedule_id) references schedules (tenant_id, id) on delete cascade
      );

      -- The owner of the tables is behind the tenants' wall too, unless it is a superuser.
      alter table schedules no force row level security;
      alter table audit_entries no force row level security;
      -- The trail tells who created and changed it; what a change was about is not asked.
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
