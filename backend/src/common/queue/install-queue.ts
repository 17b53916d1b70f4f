import { PgBoss } from 'pg-boss';
import type { DataSource } from 'typeorm';
import { APP_ROLE, KEEP_ALIVE_OPTIONS } from '../database/connection.js';
import { CONTINUING_QUEUES, QUEUES } from './queue-names.js';

/** Time after which a dead worker is detected, in seconds. pg-boss allows no less. */
const HEARTBEAT_SECONDS = 10;
/** Expiry of jobs, in seconds. It only removes forgotten jobs: lease and epoch protect long runs. */
const JOB_EXPIRY_SECONDS = 12 * 60 * 60;

/** Creates or upgrades the schema of the queue as the owner. Grants access to the application role. */
export async function installQueue(url: string, owner: DataSource): Promise<void> {
  const boss = new PgBoss({ ...KEEP_ALIVE_OPTIONS, connectionString: url, max: 2, supervise: false, schedule: false });
  boss.on('error', () => undefined);
  await boss.start();
  try {
    for (const queue of Object.values(QUEUES)) {
      if (await boss.getQueue(queue)) continue;
      await boss.createQueue(queue, {
        notify: true,
        heartbeatSeconds: HEARTBEAT_SECONDS,
        // Each takeover of a dead worker's job uses one retry.
        retryLimit: 1000,
        retryDelay: 0,
        expireInSeconds: JOB_EXPIRY_SECONDS,
        deleteAfterSeconds: 60 * 60,
      });
    }
  } finally {
    await boss.stop({ graceful: false });
  }
  await owner.query(`
    -- Which turn a tenant is in (fairTurn). Looked for first: create index waits for all who write jobs, also where it is there.
    do $$ begin
      if to_regclass('pgboss.runward_job_tenant') is null then
        create index runward_job_tenant on pgboss.job_common (name, (data->>'tenantId'), priority) where state < 'active';
      end if;
    end $$;
    -- Older code takes no job.
    do $$ begin
      if not exists (select from pg_trigger where tgrelid = 'pgboss.job_common'::regclass and tgname = 'current_code') then
        create trigger current_code before update of state on pgboss.job_common for each row
          when (new.state = 'active') execute function demand_current_code_of_writer();
      end if;
    end $$;
    -- Locks the table as well, so it is looked for first.
    do $$ begin
      if not exists (select from pg_trigger where tgname = 'runward_held' and tgrelid = 'pgboss.job'::regclass) then
        create trigger runward_held before update of state on pgboss.job for each row
          when (new.state = 'active' and old.state <> 'active')
          execute function refuse_held_job(${CONTINUING_QUEUES.map((queue) => `'${queue}'`).join(', ')});
      end if;
    end $$;
    grant usage on schema pgboss to ${APP_ROLE};
    grant select, insert, update, delete on all tables in schema pgboss to ${APP_ROLE};
    grant usage, select on all sequences in schema pgboss to ${APP_ROLE};
    grant execute on all functions in schema pgboss to ${APP_ROLE};
  `);
}
