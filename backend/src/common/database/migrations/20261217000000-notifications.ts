import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/** Rules that say who is told of what by which channel, and what was sent by them. */
export class Notifications20261217000000 implements MigrationInterface {
  name = 'Notifications20261217000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table notification_rules (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
        name text not null,
        enabled boolean not null,
        channel_type text not null check (channel_type in ('email', 'slack', 'teams', 'ntfy')),
        -- What of the channel is no secret.
        channel jsonb not null,
        -- The address of a webhook, or a token.
        sealed_secret bytea,
        secret_version integer not null default 0,
        events text[] not null,
        -- Null: all. Ids of what was deleted since stay, so that a rule never comes to tell of more.
        environment_ids uuid[],
        plan_ids uuid[],
        created_by uuid,
        -- Who saved it last: it tells of what they may see. Null: that member is gone, and nothing is told.
        owner_id uuid,
        owner_name text not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        version integer not null default 1,
        unique (tenant_id, id),
        foreign key (tenant_id, created_by) references users (tenant_id, id) on delete set null (created_by),
        foreign key (tenant_id, owner_id) references users (tenant_id, id) on delete set null (owner_id)
      );
      create unique index notification_rules_name on notification_rules (tenant_id, lower(name));
      create index notification_rules_created_by on notification_rules (tenant_id, created_by);
      create index notification_rules_owner on notification_rules (tenant_id, owner_id);

      -- One message of a rule, or one that was left out for a summary.
      create table notification_deliveries (
        id uuid primary key,
        tenant_id uuid not null,
        rule_id uuid not null,
        event text not null,
        -- What it is about, of which the rule tells once.
        cause text not null,
        environment_id uuid,
        plan_id uuid,
        execution_id uuid,
        subject text not null,
        state text not null check (state in ('waiting', 'sending', 'sent', 'failed', 'skipped', 'summarised')),
        attempts integer not null default 0,
        -- Of whoever sends it: what is stored by one that lost it is refused.
        epoch integer not null default 0,
        -- When it is tried next, or given up by who sends it; null: it is over.
        due_at timestamptz,
        give_up_at timestamptz not null,
        -- Recipients that it has come to.
        reached text[] not null default '{}',
        error_code text,
        error text,
        created_at timestamptz not null default now(),
        ended_at timestamptz,
        unique (tenant_id, id),
        unique (tenant_id, rule_id, cause),
        foreign key (tenant_id, rule_id) references notification_rules (tenant_id, id) on delete cascade
      );
      create index notification_deliveries_rule on notification_deliveries (tenant_id, rule_id, id);
      create index notification_deliveries_due on notification_deliveries (tenant_id, due_at) where due_at is not null;
      create index notification_deliveries_created on notification_deliveries (tenant_id, created_at);

      -- Tenants with messages that are due, and those with ones to be forgotten. Walks the tenants one by one, because
      -- row-level security shows one at a time; ids only leave it.
      create function tenants_with_due_notifications(p_keep_days integer) returns setof uuid language plpgsql as $$
        declare t record;
        begin
          for t in select id from tenants order by id loop
            perform set_config('app.tenant', t.id::text, true);
            if exists (select from notification_deliveries d where d.tenant_id = t.id and d.due_at <= now())
              or exists (select from notification_deliveries d
                where d.tenant_id = t.id and d.created_at < now() - make_interval(days => p_keep_days))
            then return next t.id;
            end if;
          end loop;
          perform set_config('app.tenant', '', true);
        end $$;
      grant execute on function tenants_with_due_notifications(integer) to runward_app;
    `);
    for (const table of ['notification_rules', 'notification_deliveries']) await protectTenantTable(runner, table);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
