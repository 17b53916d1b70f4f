import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectTenantTable } from './tenant-table.js';

export class Executions20261120100300 implements MigrationInterface {
  name = 'Executions20261120100300';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table executions (
        id uuid primary key,
        tenant_id uuid not null references tenants (id),
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
        started_via text not null check (started_via in ('session', 'token')),
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
        unique (tenant_id, id)
      );
      create index executions_plan on executions (tenant_id, plan_id, id);
      create index executions_environment on executions (tenant_id, environment_id, id);
      create index executions_status on executions (tenant_id, status, id);
      create index executions_unfinished on executions (tenant_id, lease_until) where finished_at is null;

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
        counts jsonb not null default '{}',
        primary key (execution_id, step_index),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );

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
        primary key (execution_id, server_id),
        unique (execution_id, ordinal),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
      create index execution_hosts_server on execution_hosts (tenant_id, server_id, execution_id);

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
        primary key (execution_id, step_index, server_id),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );

      create table output_chunks (
        tenant_id uuid not null,
        execution_id uuid not null,
        seq bigint not null,
        step_index integer not null,
        server_id uuid not null,
        stream smallint not null check (stream in (1, 2)),
        first_line integer not null,
        line_count integer not null,
        continues boolean not null,
        open_ended boolean not null,
        at timestamptz not null,
        data bytea not null,
        primary key (execution_id, seq),
        foreign key (tenant_id, execution_id) references executions (tenant_id, id) on delete cascade
      );
      create index output_chunks_place on output_chunks (execution_id, step_index, server_id, seq);

      create table execution_events (
        tenant_id uuid not null,
        execution_id uuid not null,
        seq bigint not null,
        type text not null,
        data jsonb not null,
        at timestamptz not null default now(),
        primary key (execution_id, seq),
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
    `);
    for (const table of ['executions', 'execution_steps', 'execution_hosts', 'host_results', 'guard_keys']) {
      await protectTenantTable(runner, table);
    }
    for (const table of ['output_chunks', 'execution_events']) {
      await protectTenantTable(runner, table, 'select, insert, delete');
    }
    await runner.query(`
      -- IDs of runs without a driver: a lost job or a dead worker. Loops over the tenants, because row-level
      -- security shows one tenant at a time; returns IDs only.
      create function stalled_executions(p_limit integer)
      returns table (tenant_id uuid, execution_id uuid)
      language plpgsql as $$
      declare t record;
      begin
        for t in select id from tenants loop
          perform set_config('app.tenant', t.id::text, true);
          return query
            select e.tenant_id, e.id from executions e
            where e.finished_at is null and e.status in ('PENDING', 'RUNNING', 'CANCELLING')
              and (e.lease_until < now() or (e.lease_until is null and e.created_at < now() - interval '1 minute'))
            order by e.id limit p_limit;
        end loop;
        perform set_config('app.tenant', '', true);
      end $$;
      grant execute on function stalled_executions(integer) to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
