import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ServerState20261124100000 implements MigrationInterface {
  name = 'ServerState20261124100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table servers
        add column state text not null default 'unchecked'
          constraint servers_state_known check (state in ('unchecked', 'reachable', 'host_key_unknown', 'host_key_accepted',
            'host_key_changed', 'login_refused', 'protected_host', 'unreachable')),
        -- Null: unchecked.
        add column state_since timestamptz,
        add column checked_at timestamptz,
        -- Duration of the TCP connection at the latest login.
        add column latency_ms integer constraint servers_latency check (latency_ms >= 0),
        add constraint servers_state_seen check ((state = 'unchecked') = (checked_at is null)
          and (state = 'unchecked') = (state_since is null));

      -- The owner sees each tenant's rows here. The start of a state was not stored; the time of the check is its
      -- latest possible value.
      alter table servers no force row level security;
      update servers set state = last_check->>'state', state_since = (last_check->>'at')::timestamptz,
          checked_at = (last_check->>'at')::timestamptz
        where last_check is not null;
      alter table servers force row level security;

      -- In the order of ListOrder, which puts unchecked servers first.
      create index servers_state on servers (tenant_id, state, id);
      create index servers_checked on servers (tenant_id, coalesce(checked_at, timestamptz 'epoch'), id);
      create index servers_updated on servers (tenant_id, updated_at, id);
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
