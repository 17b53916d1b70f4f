import type { MigrationInterface, QueryRunner } from 'typeorm';

export class InstallationIdentity20261227015000 implements MigrationInterface {
  name = 'InstallationIdentity20261227015000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table installation
        add column identity uuid not null default gen_random_uuid(),
        -- Raised when a copy or a restored backup continues as the original; hosts refuse a lower one.
        add column incarnation bigint not null default 1 check (incarnation > 0),
        add column state text not null default 'active' check (state in ('active', 'draining', 'held')),
        add column cause text check (cause in ('copy', 'person')),
        add column reason text,
        add column state_since timestamptz not null default now(),
        -- Database in which the installation was last active (InstallationBinding); null before the first start.
        add column bound_to jsonb,
        add check ((state = 'active') = (cause is null));
      grant update (identity, incarnation, state, cause, reason, state_since, bound_to) on installation to runward_app;

      -- Whether the installation may act, and whether new work may begin.
      create function installation_acts() returns boolean language sql stable as
        $$ select coalesce((select state <> 'held' from installation), true) $$;
      create function installation_begins() returns boolean language sql stable as
        $$ select coalesce((select state = 'active' from installation), true) $$;

      -- No worker takes a job that the state of the installation does not allow, whatever queue a later version adds.
      create function refuse_held_job() returns trigger language plpgsql as $$
        begin
          if installation_begins() or (installation_acts() and new.name = any (tg_argv)) then return new; end if;
          return null;
        end $$;
      grant execute on function installation_acts(), installation_begins(), refuse_held_job() to runward_app;
    `);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
