import { checkDatabaseLogin, checkRowLevelSecurity } from '../../common/database/boot/boot-checks.js';
import { APP_ROLE } from '../../common/database/connection.js';
import { MIGRATIONS } from '../../common/database/migrations/all-migrations.js';
import { row, rows, sql } from '../../common/database/sql.js';
import { ADMIN_COMMAND } from '../../common/admin-command.js';
import { describeState, readInstallationState } from '../../common/installation/installation-state.js';
import { PRODUCT_VERSION } from '../../common/product-version.js';
import { listLivingWorkers } from '../../common/queue/worker-heartbeat.js';
import { databaseCheck, failed, type InstallationCheck, ok, warning } from './installation-check.js';
import { readLatestBackupTime } from '../../backup/backup-record.js';

const CLOCK_WARNING_MS = 2_000;
const CLOCK_FAILURE_MS = 30_000;
const BACKUP_WARNING_HOURS = 48;
const HOUR_MS = 3_600_000;

export const DATABASE_CHECKS: readonly InstallationCheck[] = [
  {
    id: 'database',
    title: 'Database',
    run: async ({ database, databaseFault }) => {
      if (!database)
        return failed(databaseFault ?? 'The database is unavailable.', 'Start PostgreSQL, or correct DATABASE_URL.');
      const server = await row(database, sql<{ version: string }>`select current_setting('server_version') as version`);
      return ok(`PostgreSQL ${server?.version ?? 'unknown'} answers.`);
    },
  },
  databaseCheck('schema', 'Schema', async (_database, { appliedMigrations }) => {
    const known = MIGRATIONS.map(({ name }) => name);
    const pending = known.filter((name) => !appliedMigrations.includes(name));
    const newer = appliedMigrations.filter((name) => !known.includes(name));
    if (newer.length > 0)
      return warning(
        `The schema has ${newer.length} migrations that version ${PRODUCT_VERSION} does not know.`,
        'Upgrade this Runward to the version of the other processes.',
      );
    if (pending.length > 0)
      return warning(`${pending.length} migrations are pending.`, 'Restart Runward, which applies them.');
    return ok(`All ${known.length} migrations are applied.`);
  }),
  databaseCheck('roles', 'Database roles', async (database) => {
    const denied = await rows(
      database,
      sql<{ name: string }>`select c.relname as name from pg_class c
        join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and not has_any_column_privilege(current_user, c.oid, 'select')
        order by 1 limit 5`,
    );
    if (denied.length > 0)
      return failed(
        `The role ${APP_ROLE} cannot read ${denied.map(({ name }) => name).join(', ')}.`,
        'Restore the grants of a backup, or grant them as in the migrations.',
      );
    const [fault] = await checkDatabaseLogin(database);
    return fault
      ? warning(fault, 'Set RUNWARD_DATABASE_APP_URL to a separate login (docs/operations.md).')
      : ok(`The application has the role ${APP_ROLE} and no more rights.`);
  }),
  databaseCheck('row_level_security', 'Row-level security', async (database) => {
    const faults = await checkRowLevelSecurity(database);
    return faults.length === 0
      ? ok('Every tenant table forces its tenant policy.')
      : failed(faults.slice(0, 5).join(' '), 'Stop Runward, and restore the policies from a backup.');
  }),
  databaseCheck('clock', 'Clock', async (database) => {
    const before = Date.now();
    const answer = await row(database, sql<{ now: Date }>`select clock_timestamp() as now`);
    const after = Date.now();
    // The database read its clock between these two times.
    const now = answer?.now.getTime() ?? before;
    const difference = Math.max(before - now, now - after, 0);
    const text = `The clocks of this machine and of the database differ by ${(difference / 1000).toFixed(1)} s.`;
    const advice = 'Synchronise both machines with NTP.';
    if (difference > CLOCK_FAILURE_MS) return failed(text, advice);
    return difference > CLOCK_WARNING_MS ? warning(text, advice) : ok(text);
  }),
  databaseCheck('installation', 'Installation', async (database) => {
    const state = await readInstallationState(database);
    if (!state) return warning('Runward has never started on this database.', 'Start Runward.');
    return state.state === 'active'
      ? ok('The installation is active.')
      : warning(describeState(state), `Run \`${ADMIN_COMMAND} installation\` for details.`);
  }),
  databaseCheck('workers', 'Workers', async (database) => {
    const workers = await listLivingWorkers(database);
    if (workers.length === 0)
      return failed('No worker lives, so no run starts.', 'Start Runward, or a process with RUNWARD_ROLE=worker.');
    const versions = [...new Set(workers.map(({ version }) => version ?? 'unknown'))].sort();
    const longest = Math.max(...workers.map(({ uptimeSeconds }) => uptimeSeconds));
    const text = `${workers.length} ${workers.length === 1 ? 'worker lives' : 'workers live'}, version ${versions.join(', ')}, the oldest for ${longest} s.`;
    return versions.every((version) => version === PRODUCT_VERSION)
      ? ok(text)
      : warning(text, `Upgrade all processes to ${PRODUCT_VERSION}.`);
  }),
  databaseCheck('backup', 'Latest backup', async (database) => {
    const at = await readLatestBackupTime(database);
    if (!at) return warning('No backup recorded.', 'Make a backup (docs/operations.md).');
    const hours = Math.floor((Date.now() - at.getTime()) / HOUR_MS);
    const text = `The latest backup ended ${at.toISOString()}, ${hours} hours ago.`;
    return hours > BACKUP_WARNING_HOURS ? warning(text, 'Make a backup (docs/operations.md).') : ok(text);
  }),
];
