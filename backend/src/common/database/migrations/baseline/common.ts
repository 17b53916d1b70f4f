import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `common/`. */
export const COMMON: ModuleSchema = {
  tables: String.raw`
    create table idempotency_keys (
      tenant_id uuid not null,
      user_id uuid not null,
      key text not null,
      request_hash bytea not null,
      status integer not null,
      response jsonb not null,
      created_at timestamptz not null default now(),
      primary key (tenant_id, user_id, key),
      foreign key (tenant_id) references tenants (id),
      foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade
    );
    create index idempotency_keys_age on idempotency_keys (tenant_id, created_at);

    create table installation (
      only_row boolean default true primary key,
      master_key_id text not null,
      -- New key of a running key change.
      next_master_key_id text,
      -- Null until the first change: until then the chain's key is derived from the master key.
      sealed_audit_key bytea,
      identity uuid not null default gen_random_uuid(),
      -- Raised when a copy or a restored backup continues as the original; hosts refuse a lower one.
      incarnation bigint not null default 1,
      state text not null default 'active',
      cause text,
      reason text,
      state_since timestamptz not null default now(),
      -- Database in which the installation was last active (InstallationBinding); null before the first start.
      bound_to jsonb,
      check (cause in ('copy', 'person')),
      check (next_master_key_id <> master_key_id),
      constraint installation_check1 check ((state = 'active') = (cause is null)),
      check (incarnation > 0),
      check (only_row),
      check (state in ('active', 'draining', 'held'))
    );

    create table schema_generation (
      only_row boolean default true primary key,
      oldest_code integer not null,
      check (only_row)
    );

    create table worker_heartbeats (
      name text primary key,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null default now()
    );
  `,
  functions: String.raw`
    create function demand_current_code() returns boolean language plpgsql stable parallel safe as $$
      begin
        if coalesce(nullif(current_setting('app.generation', true), ''), '0')::integer < (select oldest_code from schema_generation)
        then
          -- Earlier code prints errors of this class in one line at its start.
          raise exception 'a newer Runward has upgraded this database: start that version, or restore a backup from before the upgrade'
            using errcode = 'insufficient_privilege', constraint = 'current_code';
        end if;
        return true;
      end
    $$;

    create function demand_current_code_of_writer() returns trigger language plpgsql as $$
      begin
        perform demand_current_code();
        return new;
      end
    $$;

    -- Whether the installation may act, and whether new work may begin.
    create function installation_acts() returns boolean language sql stable as $$ select coalesce((select state <> 'held' from installation), true) $$;
    grant execute on function installation_acts() to runward_app;

    create function installation_begins() returns boolean language sql stable as $$ select coalesce((select state = 'active' from installation), true) $$;
    grant execute on function installation_begins() to runward_app;

    -- No worker takes a job that the state of the installation does not allow, whatever queue a later version adds.
    create function refuse_held_job() returns trigger language plpgsql as $$
      begin
        if installation_begins() or (installation_acts() and new.name = any (tg_argv)) then return new; end if;
        return null;
      end
    $$;
    grant execute on function refuse_held_job() to runward_app;
  `,
  rules: String.raw`
    grant select, update (identity), update (incarnation), update (state), update (cause), update (reason), update
      (state_since), update (bound_to) on installation to runward_app;
    create trigger current_code before insert on installation for each row
      execute function demand_current_code_of_writer();
    grant select on schema_generation to runward_app;
    alter table worker_heartbeats enable row level security;
    grant select, insert, delete, update on worker_heartbeats to runward_app;
    create policy current_code on worker_heartbeats using ((select demand_current_code())) with check (demand_current_code());
  `,
  tenantTables: {
    idempotency_keys: 'select, insert, update, delete',
  },
};
