import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `notifications/`. */
export const NOTIFICATIONS: ModuleSchema = {
  tables: String.raw`
    create table notification_rules (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      enabled boolean not null,
      channel_type text not null,
      -- Non-secret settings of the channel.
      channel jsonb not null,
      -- Webhook URL, or a token.
      sealed_secret bytea,
      secret_version integer not null default 0,
      events text[] not null,
      -- Null = all. Ids of deleted records stay, so that a rule never covers more.
      environment_ids uuid[],
      plan_ids uuid[],
      created_by uuid,
      -- Member who saved it last; limits the events to what the member may see. Null = removed, and nothing is sent.
      owner_id uuid,
      owner_name text not null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      check (channel_type in ('email', 'slack', 'teams', 'ntfy')),
      unique (tenant_id, id),
      foreign key (tenant_id, created_by) references users (tenant_id, id) on delete set null (created_by),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, owner_id) references users (tenant_id, id) on delete set null (owner_id)
    );
    create index notification_rules_created_by on notification_rules (tenant_id, created_by);
    create unique index notification_rules_name on notification_rules (tenant_id, lower(name));
    create index notification_rules_owner on notification_rules (tenant_id, owner_id);

    -- One message of a rule, or one that a summary replaced.
    create table notification_deliveries (
      id uuid primary key,
      tenant_id uuid not null,
      rule_id uuid not null,
      event text not null,
      -- Subject of the message; the rule reports each one once.
      cause text not null,
      environment_id uuid,
      plan_id uuid,
      execution_id uuid,
      subject text not null,
      state text not null,
      attempts integer not null default 0,
      -- Epoch of the sender: writes of a sender that lost it are rejected.
      epoch integer not null default 0,
      -- Next attempt, or end of the sender's lease; null = it is over.
      due_at timestamptz,
      give_up_at timestamptz not null,
      -- Recipients that received it.
      reached text[] not null default '{}'::text[],
      error_code text,
      error text,
      created_at timestamptz not null default now(),
      ended_at timestamptz,
      -- Data of an event that is not about a run.
      about jsonb,
      check (state in ('waiting', 'sending', 'sent', 'failed', 'skipped', 'summarised')),
      unique (tenant_id, id),
      unique (tenant_id, rule_id, cause),
      foreign key (tenant_id, rule_id) references notification_rules (tenant_id, id) on delete cascade
    );
    create index notification_deliveries_created on notification_deliveries (tenant_id, created_at);
    create index notification_deliveries_due on notification_deliveries (tenant_id, due_at) where (due_at is not null);
    create index notification_deliveries_rule on notification_deliveries (tenant_id, rule_id, id);
  `,
  functions: String.raw`
    -- Tenants with due or expired messages. Visits the tenants one by one, because row-level security shows one at a
    -- time. Returns only ids.
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
      end
    $$;
    grant execute on function tenants_with_due_notifications(integer) to runward_app;
  `,
  tenantTables: {
    notification_rules: 'select, insert, update, delete',
    notification_deliveries: 'select, insert, update, delete',
  },
};
