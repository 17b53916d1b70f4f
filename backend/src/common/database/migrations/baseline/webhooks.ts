import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `webhooks/`. */
export const WEBHOOKS: ModuleSchema = {
  tables: String.raw`
    -- Request bodies of events: the same bytes for each webhook and each attempt.
    create table webhook_messages (
      id uuid primary key,
      tenant_id uuid not null,
      type text not null,
      environment_id uuid,
      execution_id uuid,
      body text not null,
      at timestamptz not null,
      created_at timestamptz not null default now(),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    );
    create index webhook_messages_created on webhook_messages (tenant_id, created_at);

    create table webhooks (
      id uuid primary key,
      tenant_id uuid not null,
      name text not null,
      url text not null,
      events text[] not null,
      -- Null = all that its owner sees.
      environment_ids uuid[],
      enabled boolean not null,
      -- Why it is disabled: by a member, after an answer 410, or after a long series of failures.
      disabled_code text,
      disabled_at timestamptz,
      -- Member whose rights limit the events; may have been removed.
      owner_id uuid not null,
      owner_name text not null,
      sealed_secret bytea not null,
      secret_version integer not null,
      -- Signs together with the new one until then.
      sealed_old_secret bytea,
      old_secret_version integer not null default 0,
      old_secret_until timestamptz,
      -- Worker that sends to it, and its lease. One sender at a time keeps the order.
      sender text,
      sender_until timestamptz,
      -- The receiver asked for no calls until then (Retry-After).
      not_before timestamptz,
      -- Start of the series of failed calls; null = the latest call succeeded, or there was none.
      failing_since timestamptz,
      delivered_at timestamptz,
      failed_at timestamptz,
      failed_status integer,
      failed_code text,
      failed_message text,
      -- Number of events that were dropped because too many were pending.
      dropped bigint not null default 0,
      dropped_at timestamptz,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      version integer not null default 1,
      check (disabled_code in ('person', 'gone', 'failing')),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    );
    create unique index webhooks_name on webhooks (tenant_id, lower(name));

    create table webhook_deliveries (
      id uuid primary key,
      tenant_id uuid not null,
      webhook_id uuid not null,
      message_id uuid not null,
      environment_id uuid,
      -- Ordering key: the events of one run are sent in order.
      lane uuid not null,
      "position" bigint not null,
      state text not null,
      -- Number of all attempts, and of those since the delivery was requested (again).
      attempts integer not null default 0,
      tries integer not null default 0,
      tries_since timestamptz not null default now(),
      -- Null = an earlier delivery of the lane is pending, or it is over.
      next_attempt_at timestamptz,
      attempted_at timestamptz,
      duration_ms integer,
      status integer,
      code text,
      message text,
      finished_at timestamptz,
      created_at timestamptz not null default now(),
      check (state in ('pending', 'delivered', 'dead')),
      unique (tenant_id, id),
      unique (webhook_id, message_id),
      foreign key (tenant_id, message_id) references webhook_messages (tenant_id, id) on delete cascade,
      foreign key (tenant_id, webhook_id) references webhooks (tenant_id, id) on delete cascade
    );
    create index webhook_deliveries_due on webhook_deliveries (tenant_id, webhook_id, next_attempt_at) where (next_attempt_at is not null);
    create index webhook_deliveries_finished on webhook_deliveries (tenant_id, state, finished_at) where (finished_at is not null);
    create index webhook_deliveries_lane on webhook_deliveries (webhook_id, lane, "position") where (state = 'pending');
    create index webhook_deliveries_list on webhook_deliveries (webhook_id, id);
    create index webhook_deliveries_message on webhook_deliveries (message_id);
    create index webhook_deliveries_state on webhook_deliveries (webhook_id, state, id);

    create table webhook_attempts (
      tenant_id uuid not null,
      delivery_id uuid not null,
      number integer not null,
      at timestamptz not null default now(),
      duration_ms integer not null,
      status integer,
      code text,
      message text,
      -- Beginning of the response body.
      answer text,
      truncated boolean not null default false,
      primary key (delivery_id, number),
      foreign key (tenant_id, delivery_id) references webhook_deliveries (tenant_id, id) on delete cascade
    );
  `,
  functions: String.raw`
    -- Webhooks with deliveries that are due by then, and the time of the first one. Visits the tenants one by one,
    -- because row-level security shows one at a time. Returns only ids and times.
    create function due_webhooks(p_until timestamptz) returns table (tenant_id uuid, webhook_id uuid, due_at timestamptz) language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants order by id loop
          perform set_config('app.tenant', t.id::text, true);
          return query select t.id, d.webhook_id, min(d.next_attempt_at) from webhook_deliveries d
            where d.tenant_id = t.id and d.next_attempt_at <= p_until group by d.webhook_id;
        end loop;
        perform set_config('app.tenant', '', true);
      end
    $$;
    grant execute on function due_webhooks(timestamptz) to runward_app;

    -- Tenants with messages from before that time.
    create function tenants_with_webhook_messages(p_before timestamptz) returns setof uuid language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants order by id loop
          perform set_config('app.tenant', t.id::text, true);
          if exists (select from webhook_messages m where m.tenant_id = t.id and m.created_at < p_before)
          then return next t.id;
          end if;
        end loop;
        perform set_config('app.tenant', '', true);
      end
    $$;
    grant execute on function tenants_with_webhook_messages(timestamptz) to runward_app;
  `,
  rules: String.raw`
    create trigger current_code before update of sender on webhooks
      for each row when ((new.sender is not null))
      execute function demand_current_code_of_writer();
  `,
  tenantTables: {
    webhook_messages: 'select, insert, update, delete',
    webhooks: 'select, insert, update, delete',
    webhook_deliveries: 'select, insert, update, delete',
    webhook_attempts: 'select, insert, update, delete',
  },
};
