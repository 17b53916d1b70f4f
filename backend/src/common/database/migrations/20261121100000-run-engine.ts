import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

/** Modes, pauses, approvals, slices, dispatches, and step results other than the exit code. */
export class RunEngine20261121100000 implements MigrationInterface {
  name = 'RunEngine20261121100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table executions
        add column parent_id uuid,
        -- Pause of the run: reason, step, start, end.
        add column pause_reason text,
        add column pause_step integer,
        add column pause_text text,
        add column pause_since timestamptz,
        add column pause_expires_at timestamptz,
        -- Name of the member who requested a pause at the next step boundary.
        add column pause_requested_by text,
        -- Reason for stopping the commands of the run, for the workers of its slices.
        add column stop_cause text check (stop_cause in ('cancel', 'deadline'));
      create index executions_parent on executions (tenant_id, parent_id) where parent_id is not null;
      create index executions_digest on executions (tenant_id, digest);
      create index executions_paused on executions (tenant_id, pause_expires_at) where status = 'PAUSED';

      alter table execution_steps
        -- A person confirmed the step.
        add column confirmed boolean not null default false;

      alter table host_results
        add column changed boolean,
        add column outputs jsonb,
        add column verdict text,
        add column diff text,
        -- The host keeps a journal of the latest dispatch: it can report the result.
        add column journaled boolean,
        add column command_started_at timestamptz,
        -- Attempts of earlier decisions: each new decision resets the retries of the step.
        add column attempts_before integer not null default 0,
        -- Masked bytes of each stream that came before the latest dispatch.
        add column stdout_before bigint not null default 0,
        add column stderr_before bigint not null default 0,
        -- Resolution of an unknown result by a person.
        add column resolution text,
        add column resolution_comment text,
        add column resolved_by uuid,
        add column resolved_by_name text,
        add column resolved_at timestamptz;

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
        unique (tenant_id, id),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
      create index execution_slices_run on execution_slices (execution_id, step_index);

      -- Approvals of a run (domain §6). A new round begins when the approved content would no longer run.
      create table approvals (
        tenant_id uuid not null,
        execution_id uuid not null,
        round integer not null,
        state text not null check (state in ('pending', 'approved', 'rejected', 'expired', 'cancelled', 'superseded')),
        required_approvals integer not null,
        allow_self_approval boolean not null,
        digest text not null,
        requested_by uuid not null,
        requested_by_name text not null,
        last_editor uuid not null,
        requested_at timestamptz not null default now(),
        expires_at timestamptz not null,
        decided_at timestamptz,
        reason_code text,
        reason_text text,
        primary key (execution_id, round),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
      create table approval_decisions (
        tenant_id uuid not null,
        execution_id uuid not null,
        round integer not null,
        user_id uuid not null,
        user_name text not null,
        decision text not null check (decision in ('approved', 'rejected')),
        comment text,
        digest text not null,
        at timestamptz not null default now(),
        withdrawn_at timestamptz,
        primary key (execution_id, round, user_id),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
    `);
    for (const table of ['execution_slices', 'approvals', 'approval_decisions'])
      await protectTenantTable(runner, table);
    await protectTenantTable(runner, 'dispatches', 'select, insert, delete');
    await runner.query(`
      -- Adds one worker's changes to the counts of a step's hosts by status: several workers may write in turn.
      create function merge_counts(p_counts jsonb, p_delta jsonb)
      returns jsonb language sql immutable as $$
        select coalesce(jsonb_object_agg(key, n), '{}') from (
          select key, sum(value::int) as n from (
            select key, value from jsonb_each_text(p_counts) union all select key, value from jsonb_each_text(p_delta)
          ) pairs group by key having sum(value::int) <> 0
        ) sums
      $$;
      grant execute on function merge_counts(jsonb, jsonb) to runward_app;

      -- IDs of runs that lack a driver: a lost job, a dead worker, an expired pause. Loops over the tenants,
      -- because row-level security shows one tenant at a time.
      create or replace function stalled_executions(p_limit integer)
      returns table (tenant_id uuid, execution_id uuid)
      language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants loop
          perform set_config('app.tenant', t.id::text, true);
          return query
            select e.tenant_id, e.id from executions e
            where e.finished_at is null and (
              e.status in ('PENDING', 'RUNNING', 'CANCELLING')
                and (e.lease_until < now() or (e.lease_until is null and e.created_at < now() - interval '1 minute'))
              or e.status = 'PAUSED' and e.pause_expires_at < now())
            order by e.id limit p_limit;
        end loop;
        perform set_config('app.tenant', '', true);
      end $$;

      -- The same for slices of runs.
      create function stalled_slices(p_limit integer)
      returns table (tenant_id uuid, execution_id uuid, slice_id uuid)
      language plpgsql as $$
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
      end $$;
      grant execute on function stalled_slices(integer) to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
