import type { MigrationInterface, QueryRunner } from 'typeorm';
import { closeToOlderCode } from './close-to-older-code.js';

/** Tables that every new action reads first: credentials, work of all tenants, worker heartbeats. */
const FIRST_READ = ['auth_directory', 'tenants', 'worker_heartbeats'];

/**
 * Excludes code that is too old for the database. A session sets its generation in `app.generation`; code from before
 * this migration sets nothing. Older code finds no credential, takes no work, and fails to start at `installation`. It
 * may finish its current work.
 */
export class SchemaGeneration20261220103000 implements MigrationInterface {
  name = 'SchemaGeneration20261220103000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table schema_generation (
        only_row boolean primary key default true check (only_row),
        oldest_code integer not null
      );
      insert into schema_generation (oldest_code) values (0);
      grant select on schema_generation to runward_app;

      create function demand_current_code() returns boolean language plpgsql stable parallel safe as $$
      begin
        if coalesce(nullif(current_setting('app.generation', true), ''), '0')::integer < (select oldest_code from schema_generation)
        then
          -- Earlier code prints errors of this class in one line at its start.
          raise exception 'a newer Runward has upgraded this database: start that version, or restore a backup from before the upgrade'
            using errcode = 'insufficient_privilege', constraint = 'current_code';
        end if;
        return true;
      end $$;
      create function demand_current_code_of_writer() returns trigger language plpgsql as $$
      begin
        perform demand_current_code();
        return new;
      end $$;

      -- Earlier code inserts here at each start, as the owner.
      create trigger current_code before insert on installation
        for each row execute function demand_current_code_of_writer();
      ${FIRST_READ.map(
        (table) => `
          alter table ${table} enable row level security;
          create policy current_code on ${table} using ((select demand_current_code())) with check (demand_current_code());`,
      ).join('')}
      -- Notifications trigger these two without reading the tenants.
      create policy current_code on outbox_events as restrictive for delete using ((select demand_current_code()));
      create trigger current_code before update of sender on webhooks
        for each row when (new.sender is not null) execute function demand_current_code_of_writer();
    `);
    await closeToOlderCode(runner, 1);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}
