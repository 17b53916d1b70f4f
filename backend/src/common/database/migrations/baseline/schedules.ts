import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `schedules/`. */
export const SCHEDULES: ModuleSchema = {
  tables: String.raw`
    create table schedules (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      note text,
      plan_id uuid not null,
      environment_id uuid not null,
      execution_mode text not null,
      -- Plain values. Values of secret variables are sealed together.
      variables jsonb not null default '{}'::jsonb,
      secret_names text[] not null default '{}'::text[],
      sealed_variables bytea,
      sealed_version integer not null default 0,
      targets text not null default '',
      labels jsonb not null default '{}'::jsonb,
      cron text,
      every_seconds integer,
      -- Start of the intervals.
      every_from timestamptz not null default now(),
      time_zone text not null,
      jitter_seconds integer not null default 0,
      on_overlap text not null,
      on_missed text not null,
      enabled boolean not null,
      -- Reason and author of the pause; null = not paused, or no reason.
      paused_reason text,
      paused_by_name text,
      paused_at timestamptz,
      -- Member whose rights apply; null = the member was removed.
      owner_id uuid,
      owner_name text not null,
      -- Time when the owner saved the content. Later changes by other authors are checked before it runs.
      vouched_at timestamptz not null default now(),
      -- Next occurrence, and its due time with the spread; null = none.
      next_at timestamptz,
      due_at timestamptz,
      -- A worker holds it until this time. Then any worker may claim it.
      claimed_until timestamptz,
      last_at timestamptz,
      last_outcome text,
      last_code text,
      last_text text,
      last_execution_id uuid,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      -- Last reported reason why it started nothing; null = none since its last start or change of owner.
      told_code text,
      -- Members who saw the token with which the owner became the owner.
      owner_held_by uuid[] not null default '{}'::uuid[],
      -- Restrictions by that token; null = none.
      owner_limits jsonb,
      check ((cron is null) <> (every_seconds is null)),
      constraint schedules_check1 check ((next_at is null) = (due_at is null)),
      check (every_seconds >= 60),
      check (on_missed in ('skip', 'once')),
      check (on_overlap in ('skip', 'queue')),
      unique (tenant_id, id),
      foreign key (tenant_id, environment_id) references environments (tenant_id, id),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, owner_id) references users (tenant_id, id) on delete set null (owner_id),
      foreign key (tenant_id, plan_id) references plans (tenant_id, id)
    ) with (fillfactor='80');
    create index schedules_due on schedules (tenant_id, due_at) where (enabled and (due_at is not null));
    create index schedules_environment on schedules (tenant_id, environment_id, id);
    create unique index schedules_name on schedules (tenant_id, lower(name));
    create index schedules_owner on schedules (tenant_id, owner_id, id);
    create index schedules_plan on schedules (tenant_id, plan_id, id);

    -- Outcome of an occurrence. The database rejects a second one for the same time.
    create table schedule_fires (
      id uuid primary key,
      tenant_id uuid not null,
      schedule_id uuid not null,
      -- Planned time; the last one of several that were missed together.
      at timestamptz not null,
      fired_at timestamptz not null default now(),
      outcome text not null,
      code text,
      reason text,
      execution_id uuid,
      -- Conflicting run, if it is visible to all who see the schedule.
      blocked_by uuid,
      -- Number of earlier missed times.
      missed integer not null default 0,
      check (outcome in ('started', 'skipped', 'missed', 'refused')),
      unique (tenant_id, schedule_id, at),
      foreign key (tenant_id, schedule_id) references schedules (tenant_id, id) on delete cascade
    );
    create index schedule_fires_list on schedule_fires (tenant_id, schedule_id, id);

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
  `,
  functions: String.raw`
    -- Tenants with a due schedule, in id order. Visits the tenants one by one, because row-level security shows one at
    -- a time. Returns only ids.
    create function tenants_with_due_schedules() returns setof uuid language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants order by id loop
          perform set_config('app.tenant', t.id::text, true);
          if exists (select from schedules s where s.tenant_id = t.id and s.enabled and s.due_at <= now()
              and (s.claimed_until is null or s.claimed_until < now()))
          then return next t.id;
          end if;
        end loop;
        perform set_config('app.tenant', '', true);
      end
    $$;
    grant execute on function tenants_with_due_schedules() to runward_app;
  `,
  tenantTables: {
    schedules: 'select, insert, update, delete',
    schedule_fires: 'select, insert, delete',
    schedule_writers: 'select, insert, update',
  },
};
