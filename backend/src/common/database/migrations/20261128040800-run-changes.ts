import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Day and time of the last change of a run, for lists of runs that changed or finished since a time. The index has the
 * day, which rarely changes, so that most updates of a run change no index. `short_id` is a column, because row-level
 * security permits no index on an expression.
 */
export class RunChanges20261128040800 implements MigrationInterface {
  name = 'RunChanges20261128040800';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table executions add column if not exists updated_at timestamptz not null default now(),
        add column if not exists updated_on date not null default (now() at time zone 'UTC')::date,
        add column if not exists short_id text generated always as (right(id::text, 8)) stored;
      update executions set updated_at = coalesce(finished_at, updated_at),
        updated_on = (coalesce(finished_at, updated_at) at time zone 'UTC')::date;
      create or replace function note_run_change() returns trigger language plpgsql as $$
        begin
          new.updated_at := clock_timestamp();
          new.updated_on := (new.updated_at at time zone 'UTC')::date;
          return new;
        end $$;
      create or replace trigger executions_changed before update on executions
        for each row when (new.version is distinct from old.version or new.finished_at is distinct from old.finished_at)
        execute function note_run_change();
      create index if not exists executions_updated on executions (tenant_id, updated_on, id) include (environment_id, removed_at);
      create index if not exists executions_short_id on executions (tenant_id, short_id) include (id, environment_id, removed_at)`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
