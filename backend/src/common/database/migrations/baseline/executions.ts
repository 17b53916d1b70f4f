import type { ModuleSchema } from './module-schema.js';

/** Tables and functions of `executions/`. */
export const EXECUTIONS: ModuleSchema = {
  tables: String.raw`
    -- Finished runs and their bytes by environment, as partial sums. Each finished run adds its own row and waits for
    -- no lock. Retention passes merge the rows.
    create table execution_totals (
      id uuid default gen_random_uuid() primary key,
      tenant_id uuid not null,
      environment_id uuid not null,
      runs bigint not null,
      bytes bigint not null,
      foreign key (tenant_id) references tenants (id)
    );
    create index execution_totals_environment on execution_totals (tenant_id, environment_id);

    create table executions (
      id uuid primary key,
      tenant_id uuid not null,
      plan_id uuid not null,
      plan_revision integer not null,
      plan_name text not null,
      environment_id uuid not null,
      environment_name text not null,
      status text not null,
      execution_mode text not null,
      status_code text,
      status_text text,
      note text,
      snapshot jsonb not null,
      digest text not null,
      sealed_secrets bytea,
      started_by uuid not null,
      started_by_name text not null,
      started_via text not null,
      token_prefix text,
      created_at timestamptz not null default now(),
      started_at timestamptz,
      finished_at timestamptz,
      deadline_at timestamptz,
      host_count integer not null,
      -- Fencing: owner of the run, epoch of the takeover, end of the lease (database time).
      owner text,
      epoch integer not null default 0,
      lease_until timestamptz,
      event_seq bigint not null default 0,
      chunk_seq bigint not null default 0,
      -- Number of the owner's latest flush: a repeated flush is not stored twice.
      flush_seq bigint not null default 0,
      version bigint not null default 1,
      parent_id uuid,
      -- Pause of the run: reason, step, start, end.
      pause_reason text,
      pause_step integer,
      pause_text text,
      pause_since timestamptz,
      pause_expires_at timestamptz,
      -- Name of the member who requested a pause at the next step boundary.
      pause_requested_by text,
      -- Reason for stopping the commands of the run, for the workers of its slices.
      stop_cause text,
      -- Reason of the admin who overrode a freeze; null = not overridden.
      freeze_override text,
      -- Earliest time for workers to claim the run; null = any time.
      not_before timestamptz,
      -- Time of removal; removed runs are hidden. Each index below includes it, because the policy that hides such
      -- runs would otherwise read every row.
      removed_at timestamptz,
      pinned_at timestamptz,
      pinned_by uuid,
      pinned_by_name text,
      pin_note text,
      -- Bytes of output at the end of the run.
      stored_bytes bigint not null default 0,
      labels jsonb not null default '{}'::jsonb,
      -- Reason of the admin who overrode the run windows; null = not overridden.
      window_override text,
      schedule_id uuid,
      schedule_name text,
      on_overlap text not null default 'refuse',
      -- Earliest start; null = immediately.
      start_at timestamptz,
      -- Members who count as requesters beside the starter: [{userId, kind, name}]. Stored with the run, because
      -- tokens are deleted.
      askers jsonb,
      -- Authors of the commits that changed the frozen git content of the run; null = no git content.
      commit_authors jsonb,
      pinned_by_admin boolean not null default false,
      legal_hold boolean not null default false,
      -- Admin who last requested to lift the hold; another admin confirms within seven days.
      lift_by uuid,
      lift_by_name text,
      lift_at timestamptz,
      check (on_overlap in ('refuse', 'queue')),
      check (started_via in ('session', 'token', 'schedule')),
      check (stop_cause in ('cancel', 'deadline')),
      unique (tenant_id, id),
      foreign key (tenant_id) references tenants (id)
    ) with (fillfactor='85');
    -- Latest run of a plan in an environment.
    create index executions_begun on executions (tenant_id, plan_id, environment_id, started_at) where (started_at is not null);
    create index executions_digest on executions (tenant_id, digest);
    create index executions_environment on executions (tenant_id, environment_id, id) include (plan_id, started_by, status, execution_mode, removed_at);
    create index executions_held on executions (tenant_id, id) include (environment_id, removed_at) where legal_hold;
    -- Latest run of a plan in an environment with each status.
    create index executions_last on executions (tenant_id, environment_id, plan_id, status, id) where ((finished_at is not null) and (execution_mode <> 'dry_run'));
    create index executions_mode on executions (tenant_id, execution_mode, id) include (environment_id, removed_at);
    create index executions_parent on executions (tenant_id, parent_id, id) where (parent_id is not null);
    create index executions_paused on executions (tenant_id, pause_expires_at) where (status = 'PAUSED');
    create index executions_plan on executions (tenant_id, plan_id, id) include (environment_id, removed_at);
    create index executions_removed on executions (tenant_id, id) where (removed_at is not null);
    create index executions_schedule on executions (tenant_id, schedule_id, id) where (schedule_id is not null);
    create index executions_starter on executions (tenant_id, started_by, id) include (environment_id, removed_at);
    create index executions_status on executions (tenant_id, status, id) include (environment_id, removed_at);
    create index executions_unfinished on executions (tenant_id, id) where (finished_at is null);

    create table approval_authors (
      tenant_id uuid not null,
      execution_id uuid not null,
      round integer not null,
      user_id uuid,
      kind text not null,
      name text not null,
      -- Last revision that the author saved; null = its revisions were deleted.
      revision integer,
      position bigint generated by default as identity,
      author_name text,
      detail text,
      -- Whether the author may not run in the environment.
      outside boolean not null default false,
      check (kind in ('plan', 'script', 'template', 'git_commit', 'git_source', 'environment_variable', 'server_variable', 'server_tag', 'server', 'host_key', 'jump_server', 'ssh_key', 'token', 'schedule', 'schedule_token')),
      constraint approval_authors_named check ((user_id is not null) or (author_name is not null)),
      primary key (execution_id, round, "position"),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );

    create table approval_decisions (
      tenant_id uuid not null,
      execution_id uuid not null,
      round integer not null,
      user_id uuid not null,
      user_name text not null,
      decision text not null,
      comment text,
      digest text not null,
      at timestamptz not null default now(),
      withdrawn_at timestamptz,
      check (decision in ('approved', 'rejected')),
      primary key (execution_id, round, user_id),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );

    -- Approvals of a run (domain §6). A new round begins when the approved content would no longer run.
    create table approvals (
      tenant_id uuid not null,
      execution_id uuid not null,
      round integer not null,
      state text not null,
      required_approvals integer not null,
      allow_self_approval boolean not null,
      digest text not null,
      requested_by uuid not null,
      requested_by_name text not null,
      requested_at timestamptz not null default now(),
      expires_at timestamptz not null,
      decided_at timestamptz,
      reason_code text,
      reason_text text,
      check (state in ('pending', 'approved', 'rejected', 'expired', 'cancelled', 'superseded')),
      primary key (execution_id, round),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );

    -- Every intent to start a command, committed before anything is sent.
    create table dispatches (
      dispatch_id uuid primary key,
      tenant_id uuid not null,
      execution_id uuid not null,
      step_index integer not null,
      server_id uuid not null,
      attempt integer not null,
      epoch integer not null,
      at timestamptz not null default now(),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );
    create index dispatches_place on dispatches (execution_id, step_index, server_id);

    create table execution_events (
      tenant_id uuid not null,
      execution_id uuid not null,
      seq bigint not null,
      type text not null,
      data jsonb not null,
      at timestamptz not null default now(),
      primary key (execution_id, seq),
      constraint execution_events_tenant_id_execution_id_fkey1 foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    ) partition by range (execution_id);

    create table execution_hosts (
      tenant_id uuid not null,
      execution_id uuid not null,
      server_id uuid not null,
      ordinal integer not null,
      name text not null,
      hostname text not null,
      port integer not null,
      username text not null,
      ssh_key_id uuid not null,
      host_key jsonb,
      tags jsonb not null,
      status text not null default 'PENDING',
      last_step_key text,
      -- Canonical address that the run connected to. Committed before the login begins.
      reached_address text,
      more_host_keys jsonb,
      -- No foreign key: the jump path of past runs is kept.
      jump_server_id uuid,
      -- Plain values of the host's server at the start, by name; null = none.
      variables jsonb,
      -- Its secrets by name: version, and position among the run's sealed secrets; null = none.
      secrets jsonb,
      -- Result of comparing its proved keys with those of the run's other hosts. Null = not compared; false = same
      -- machine as another host, so nothing is started on it.
      own_machine boolean,
      -- Null = false, as in all earlier runs.
      legacy_algorithms boolean,
      login_timeout_seconds integer,
      unique (execution_id, ordinal),
      primary key (execution_id, server_id),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );
    create index execution_hosts_reached on execution_hosts (tenant_id, execution_id, reached_address) where (reached_address is not null);
    create index execution_hosts_server on execution_hosts (tenant_id, server_id, execution_id);

    create table execution_labels (
      tenant_id uuid not null,
      execution_id uuid not null,
      key text not null,
      value text not null,
      primary key (tenant_id, execution_id, key),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );
    -- In the order of the run list.
    create index execution_labels_value on execution_labels (tenant_id, key, value, execution_id);

    -- Parts of a step's hosts that several workers run at the same time, each with a separate lease.
    create table execution_slices (
      id uuid primary key,
      tenant_id uuid not null,
      execution_id uuid not null,
      step_index integer not null,
      server_ids uuid[] not null,
      owner text,
      epoch integer not null default 0,
      lease_until timestamptz,
      flush_seq bigint not null default 0,
      finished_at timestamptz,
      -- Internal error that ended the slice; it also ends the run.
      fault text,
      created_at timestamptz not null default now(),
      -- Last step up to which its hosts advance independently; null = only this step.
      last_step integer,
      unique (tenant_id, id),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );
    create index execution_slices_run on execution_slices (execution_id, step_index);

    create table execution_steps (
      tenant_id uuid not null,
      execution_id uuid not null,
      step_index integer not null,
      key text not null,
      name text not null,
      type text not null,
      status text not null,
      reason text,
      started_at timestamptz,
      finished_at timestamptz,
      counts jsonb not null default '{}'::jsonb,
      -- A person confirmed the step.
      confirmed boolean not null default false,
      reason_code text,
      primary key (execution_id, step_index),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );

    -- The guard (domain §5): one holder per key and tenant, enforced by this primary key.
    create table guard_keys (
      tenant_id uuid not null,
      key text not null,
      execution_id uuid not null,
      since timestamptz not null default now(),
      primary key (tenant_id, key),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );
    create index guard_keys_execution on guard_keys (execution_id);

    create table guard_queue (
      tenant_id uuid not null,
      execution_id uuid not null,
      environment_id uuid not null,
      -- What the run waits for; null = an approval, or the end of a freeze.
      reason text,
      since timestamptz not null default now(),
      -- Position in the tenant's queue for guard keys; null = not in this queue.
      arrival bigint,
      timeout_seconds integer not null,
      -- End of the wait; null = it waits for a decision or a freeze, which have their own deadlines.
      expires_at timestamptz,
      check (reason in ('start_time', 'overlap')),
      primary key (tenant_id, execution_id),
      unique (tenant_id, arrival),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );
    create index guard_queue_environment on guard_queue (tenant_id, environment_id, arrival);

    -- Guard keys that the run waits for.
    create table guard_waits (
      tenant_id uuid not null,
      key text not null,
      execution_id uuid not null,
      primary key (tenant_id, key, execution_id),
      foreign key (tenant_id, execution_id) references guard_queue (tenant_id, execution_id) on delete cascade
    );
    create index guard_waits_execution on guard_waits (tenant_id, execution_id);

    create table host_results (
      tenant_id uuid not null,
      execution_id uuid not null,
      step_index integer not null,
      server_id uuid not null,
      status text not null,
      attempts integer not null default 0,
      dispatch_id uuid,
      epoch integer,
      exit_code integer,
      signal text,
      code text,
      message text,
      started_at timestamptz,
      finished_at timestamptz,
      output_lines bigint not null default 0,
      output_bytes bigint not null default 0,
      dropped_lines bigint not null default 0,
      dropped_bytes bigint not null default 0,
      changed boolean,
      outputs jsonb,
      verdict text,
      diff text,
      -- The host keeps a journal of the latest dispatch: it can report the result.
      journaled boolean,
      command_started_at timestamptz,
      -- Attempts of earlier decisions: each new decision resets the retries of the step.
      attempts_before integer not null default 0,
      -- Masked bytes of each stream that came before the latest dispatch.
      stdout_before bigint not null default 0,
      stderr_before bigint not null default 0,
      -- Resolution of an unknown result by a person.
      resolution text,
      resolution_comment text,
      resolved_by uuid,
      resolved_by_name text,
      resolved_at timestamptz,
      -- Null = no attempt is scheduled.
      next_attempt_at timestamptz,
      -- Outcome of the attempt before the scheduled one.
      attempt_status text,
      check_asked_at timestamptz,
      check_asked_by text,
      -- Time of the latest answer; older than the request while a check is running.
      checked_at timestamptz,
      check_finding text,
      check_message text,
      -- A decision covered the failure on this host; the step may continue on other hosts.
      answered boolean not null default false,
      primary key (execution_id, step_index, server_id),
      constraint host_results_tenant_id_execution_id_fkey1 foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    ) partition by range (execution_id);

    create table inherited_results (
      tenant_id uuid not null,
      execution_id uuid not null,
      step_index integer not null,
      -- For a step that runs once, a server that may not be part of the run.
      server_id uuid not null,
      status text not null,
      exit_code integer,
      changed boolean not null,
      outputs jsonb,
      -- The host does not run the step again.
      done boolean not null,
      -- Run and step of the result.
      from_execution_id uuid not null,
      from_step integer not null,
      primary key (execution_id, step_index, server_id),
      foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    );

    create table output_chunks (
      tenant_id uuid not null,
      execution_id uuid not null,
      seq bigint not null,
      step_index integer not null,
      server_id uuid not null,
      stream smallint not null,
      first_line integer not null,
      line_count integer not null,
      continues boolean not null,
      open_ended boolean not null,
      at timestamptz not null,
      data bytea not null,
      check (stream = any (array[1, 2])),
      primary key (execution_id, seq),
      constraint output_chunks_tenant_id_execution_id_fkey1 foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
    ) partition by range (execution_id);
    create index output_chunks_place on output_chunks (execution_id, step_index, server_id, seq);

    -- Due or running pass of a tenant, and the result of the previous one.
    create table retention_passes (
      tenant_id uuid primary key,
      due_at timestamptz not null default now(),
      requested_by_name text,
      -- A worker holds it until this time. Then any worker may claim it.
      lease_until timestamptz,
      begun_at timestamptz,
      runs bigint not null default 0,
      bytes bigint not null default 0,
      last_ended_at timestamptz,
      last_runs bigint,
      last_bytes bigint,
      foreign key (tenant_id) references tenants (id)
    );

    -- Retention rules. Without an environment = default for environments without their own rule. Null = no such limit.
    create table retention_rules (
      id uuid primary key,
      tenant_id uuid not null,
      environment_id uuid,
      keep_days integer,
      keep_runs integer,
      keep_bytes bigint,
      updated_at timestamptz not null default now(),
      updated_by_name text not null,
      check (keep_bytes > 0),
      check (keep_days > 0),
      check (keep_runs > 0),
      unique nulls not distinct (tenant_id, environment_id),
      foreign key (tenant_id, environment_id) references environments (tenant_id, id) on delete cascade,
      foreign key (tenant_id) references tenants (id)
    );
  `,
  functions: String.raw`
    create function count_ended_run() returns trigger language plpgsql as $$
      begin
        new.stored_bytes := coalesce((select sum(r.output_bytes) from host_results r where r.execution_id = new.id), 0);
        insert into execution_totals (tenant_id, environment_id, runs, bytes)
          values (new.tenant_id, new.environment_id, 1, new.stored_bytes);
        return new;
      end
    $$;

    -- Drops the partitions of past months without visible runs of any tenant, and returns their number. Like
    -- make_month_partitions, it runs with the owner's rights and does not wait for long locks.
    create function drop_spent_partitions() returns integer language plpgsql security definer set search_path to 'pg_catalog', 'public', 'pg_temp' set "TimeZone" to 'UTC' set lock_timeout to '300ms' as $$
      declare
        month record;
        t record;
        parent text;
        name text;
        tenant text := current_setting('app.tenant', true);
        removed text := current_setting('app.removed_runs', true);
        lived boolean;
        dropped integer := 0;
      begin
        if not pg_try_advisory_xact_lock(7266924) then return 0; end if;
        for month in
          select substr(c.relname, length('output_chunks') + 1) as suffix,
              (regexp_match(b.bound, 'FROM \(''([0-9a-f-]+)''\)'))[1]::uuid as low,
              (regexp_match(b.bound, 'TO \(''([0-9a-f-]+)''\)'))[1]::uuid as high
            from pg_inherits i join pg_class c on c.oid = i.inhrelid,
              lateral (select pg_get_expr(c.relpartbound, c.oid) as bound) b
            where i.inhparent = 'public.output_chunks'::regclass and b.bound <> 'DEFAULT'
        loop
          -- One day of tolerance for wrong clocks of processes.
          continue when month.high > public.first_id_at(now() - interval '1 day');
          lived := false;
          for t in select id from public.tenants loop
            perform set_config('app.tenant', t.id::text, true);
            select exists (select from public.executions e where e.tenant_id = t.id and e.removed_at is null
              and (month.low is null or e.id >= month.low) and e.id < month.high) into lived;
            exit when lived;
          end loop;
          perform set_config('app.tenant', coalesce(tenant, ''), true);
          continue when lived;
          foreach parent in array array['output_chunks', 'execution_events', 'host_results'] loop
            name := parent || month.suffix;
            if to_regclass(format('public.%I', name)) is not null then
              execute format('drop table public.%I', name);
              dropped := dropped + 1;
            end if;
          end loop;
        end loop;
        perform set_config('app.removed_runs', coalesce(removed, ''), true);
        return dropped;
      end
    $$;
    revoke execute on function drop_spent_partitions() from public;
    grant execute on function drop_spent_partitions() to runward_app;

    -- Smallest id that can be generated at that time.
    create function first_id_at(p_at timestamptz) returns uuid language sql immutable parallel safe as $$
      select (substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-0000-0000-000000000000')::uuid
        from (select lpad(to_hex(greatest(floor(extract(epoch from p_at) * 1000), 0)::bigint), 12, '0') as h) hex
    $$;
    grant execute on function first_id_at(timestamptz) to runward_app;

    -- Creates the missing partitions of this month and of the next p_ahead months, and returns their number. Runs with
    -- the owner's rights, because the application cannot create tables; the number is its only input. Earlier rows of
    -- such a month are in the default partition and are moved, unless there are too many. It does not wait for long
    -- locks, because it runs again later.
    create function make_month_partitions(p_ahead integer) returns integer language plpgsql security definer set search_path to 'pg_catalog', 'public', 'pg_temp' set "TimeZone" to 'UTC' set lock_timeout to '300ms' as $$
      declare
        parent text;
        month timestamptz;
        low uuid;
        high uuid;
        top uuid;
        name text;
        waiting bigint;
        made integer := 0;
      begin
        if not pg_try_advisory_xact_lock(7266924) then return 0; end if;
        for ahead in 0 .. least(p_ahead, 24) loop
          month := date_trunc('month', now()) + make_interval(months => ahead);
          low := public.first_id_at(month);
          high := public.first_id_at(month + interval '1 month');
          foreach parent in array array['output_chunks', 'execution_events', 'host_results'] loop
            select (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([0-9a-f-]+)''\)'))[1]::uuid into top
              from pg_inherits i join pg_class c on c.oid = i.inhrelid
              where i.inhparent = format('public.%I', parent)::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
              order by 1 desc limit 1;
            continue when top > low;
            execute format('select count(*) from (select from public.%I where execution_id >= $1 and execution_id < $2 limit 50001) rows',
              parent || '_rest') into waiting using low, high;
            continue when waiting > 50000;
            name := parent || to_char(month, '"_"YYYY"_"MM');
            execute format('create table public.%I (like public.%I including defaults including constraints including storage)', name, parent);
            execute format('alter table public.%I enable row level security', name);
            if waiting > 0 then
              execute format('lock table public.%I', parent || '_rest');
              execute format('with moved as (delete from public.%I where execution_id >= $1 and execution_id < $2 returning *)
                insert into public.%I select * from moved', parent || '_rest', name) using low, high;
            end if;
            execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', parent, name, low, high);
            made := made + 1;
          end loop;
        end loop;
        return made;
      end
    $$;
    revoke execute on function make_month_partitions(integer) from public;
    grant execute on function make_month_partitions(integer) to runward_app;

    -- Adds one worker's changes to the counts of a step's hosts by status: several workers may write in turn.
    create function merge_counts(p_counts jsonb, p_delta jsonb) returns jsonb language sql immutable as $$
      select coalesce(jsonb_object_agg(key, n), '{}') from (
        select key, sum(value::int) as n from (
          select key, value from jsonb_each_text(p_counts) union all select key, value from jsonb_each_text(p_delta)
        ) pairs group by key having sum(value::int) <> 0
      ) sums
    $$;
    grant execute on function merge_counts(jsonb, jsonb) to runward_app;

    -- Waiting runs without a started step whose token has ended; empty while the installation is held.
    create function runs_of_ended_tokens(p_limit integer) returns table (tenant_id uuid, execution_id uuid) language plpgsql as $$
      declare t record;
      begin
        if not installation_acts() then return; end if;
        for t in select id from tenants loop
          perform set_config('app.tenant', t.id::text, true);
          return query
            select e.tenant_id, e.id from executions e
              where e.tenant_id = t.id and e.finished_at is null and e.token_prefix is not null
                and e.status in ('PENDING', 'PAUSED')
                and not exists (select from execution_steps s where s.execution_id = e.id and s.started_at is not null)
                and token_end(e.tenant_id, e.token_prefix, e.id) is not null
              order by e.id limit p_limit;
        end loop;
        perform set_config('app.tenant', '', true);
      end
    $$;
    grant execute on function runs_of_ended_tokens(integer) to runward_app;

    -- Ids of runs without a worker that need one: a lost notification, a dead worker, an expired pause, or an elapsed
    -- wait. Visits the tenants one by one, because row-level security shows one tenant at a time.
    create function stalled_executions(p_limit integer) returns table (tenant_id uuid, execution_id uuid) language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants loop
          perform set_config('app.tenant', t.id::text, true);
          return query
            select e.tenant_id, e.id from executions e
            where e.finished_at is null and (
              e.status in ('PENDING', 'RUNNING', 'CANCELLING')
                and (e.lease_until < now() or (e.lease_until is null and case when e.not_before is null
                  then e.created_at < now() - interval '1 minute' else e.not_before <= now() end))
              or e.status = 'PAUSED' and e.pause_expires_at < now())
            order by e.id limit p_limit;
        end loop;
        perform set_config('app.tenant', '', true);
      end
    $$;
    grant execute on function stalled_executions(integer) to runward_app;

    -- The same for slices of runs.
    create function stalled_slices(p_limit integer) returns table (tenant_id uuid, execution_id uuid, slice_id uuid) language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants loop
          perform set_config('app.tenant', t.id::text, true);
          return query
            select s.tenant_id, s.execution_id, s.id from execution_slices s
            where s.finished_at is null
              and (s.lease_until < now() or (s.lease_until is null and s.created_at < now() - interval '10 seconds'))
            order by s.id limit p_limit;
        end loop;
        perform set_config('app.tenant', '', true);
      end
    $$;
    grant execute on function stalled_slices(integer) to runward_app;

    -- Tenants with a due pass, or with removed runs that are not deleted yet. Visits the tenants one by one, because
    -- row-level security shows one at a time. Returns only ids.
    create function tenants_with_due_retention() returns setof uuid language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants order by id loop
          perform set_config('app.tenant', t.id::text, true);
          perform set_config('app.removed_runs', 'shown', true);
          if exists (select from executions e where e.tenant_id = t.id and e.removed_at is not null)
            or exists (select from retention_passes p where p.tenant_id = t.id and p.due_at <= now()
              and (p.lease_until is null or p.lease_until < now()))
          then return next t.id;
          end if;
        end loop;
        perform set_config('app.tenant', '', true);
        perform set_config('app.removed_runs', '', true);
      end
    $$;
    grant execute on function tenants_with_due_retention() to runward_app;

    -- Why a token is invalid for a run that has not begun: revoked, removed, disabled (its service account) or
    -- expired; null = valid. Expiry does not count for a run that needs a decision by a member.
    create function token_end(p_tenant uuid, p_prefix text, p_execution uuid) returns text language sql stable as $$
      select case
          when k.id is null then 'removed'
          when k.revoked_at is not null then 'revoked'
          when u.kind = 'service_account' and u.disabled_at is not null then 'disabled'
          when k.expires_at <= now() and not exists (
            select from approvals a where a.tenant_id = p_tenant and a.execution_id = p_execution) then 'expired'
        end
        from (values (p_prefix)) as asked (prefix)
          left join api_tokens k on k.tenant_id = p_tenant and k.prefix = asked.prefix
          left join users u on u.tenant_id = p_tenant and u.id = k.user_id
    $$;
    grant execute on function token_end(uuid, text, uuid) to runward_app;
  `,
  rules: String.raw`
    -- Hides removed runs from every statement except those that delete them. Together with the tenant policy it can
    -- only hide more rows.
    create policy not_removed on executions as restrictive using (((removed_at is null) or (current_setting('app.removed_runs', true) = 'shown'))) with check (true);
    create trigger executions_ended before update of finished_at on executions
      for each row when (((old.finished_at is null) and (new.finished_at is not null)))
      execute function count_ended_run();
  `,
  tenantTables: {
    execution_totals: 'select, insert, update, delete',
    executions: 'select, insert, update, delete',
    approval_authors: 'select, insert, delete',
    approval_decisions: 'select, insert, update, delete',
    approvals: 'select, insert, update, delete',
    dispatches: 'select, insert, delete',
    execution_events: 'select, insert, delete',
    execution_hosts: 'select, insert, update, delete',
    execution_labels: 'select, insert, delete',
    execution_slices: 'select, insert, update, delete',
    execution_steps: 'select, insert, update, delete',
    guard_keys: 'select, insert, update, delete',
    guard_queue: 'select, insert, update, delete',
    guard_waits: 'select, insert, delete',
    host_results: 'select, insert, update, delete',
    inherited_results: 'select, insert, delete',
    output_chunks: 'select, insert, delete',
    retention_passes: 'select, insert, update, delete',
    retention_rules: 'select, insert, update, delete',
  },
};
