import { escapeIdentifier } from 'pg';
import { DataSource } from 'typeorm';
import { installQueue } from '../queue/install-queue.js';
import { APP_ROLE, ownerConnection } from './connection.js';
import { TenantsAndMembers20261120100000 } from './migrations/20261120100000-tenants-and-members.js';
import { AuditListIndexes20261208090100 } from './migrations/20261208090100-audit-list-indexes.js';
import { AuditTrail20261120100100 } from './migrations/20261120100100-audit-trail.js';
import { InventoryAndPlans20261120100200 } from './migrations/20261120100200-inventory-and-plans.js';
import { Executions20261120100300 } from './migrations/20261120100300-executions.js';
import { IdempotencyKeys20261120100400 } from './migrations/20261120100400-idempotency-keys.js';
import { Installation20261120100500 } from './migrations/20261120100500-installation.js';
import { AuditChain20261120130000 } from './migrations/20261120130000-audit-chain.js';
import { EnvironmentWalls20261120120000 } from './migrations/20261120120000-environment-walls.js';
import { MembersAndSignIn20261120110000 } from './migrations/20261120110000-members-and-sign-in.js';
import { MasterKeyRotation20261120140000 } from './migrations/20261120140000-master-key-rotation.js';
import { RunListIndexes20261208090000 } from './migrations/20261208090000-run-list-indexes.js';
import { RunEngine20261121100000 } from './migrations/20261121100000-run-engine.js';
import { EnvironmentJournal20261121200000 } from './migrations/20261121200000-environment-journal.js';
import { Library20261121110000 } from './migrations/20261121110000-library.js';
import { RetryTimes20261121210000 } from './migrations/20261121210000-retry-times.js';
import { HostChecks20261121210100 } from './migrations/20261121210100-host-checks.js';
import { FreeStrategy20261122100000 } from './migrations/20261122100000-free-strategy.js';
import { HostAddresses20261122110000 } from './migrations/20261122110000-host-addresses.js';
import { StoredAnswers20261123180000 } from './migrations/20261123180000-stored-answers.js';
import { WorkerHeartbeats20261123190000 } from './migrations/20261123190000-worker-heartbeats.js';
import { ServerOrigins20261124110000 } from './migrations/20261124110000-server-origins.js';
import { InventoryImports20261124120000 } from './migrations/20261124120000-inventory-imports.js';
import { KeyRotations20261125100000 } from './migrations/20261125100000-key-rotations.js';
import { KeyCertificates20261125100100 } from './migrations/20261125100100-key-certificates.js';
import { ServerChecks20261125120000 } from './migrations/20261125120000-server-checks.js';
import { CheckSchedule20261128090000 } from './migrations/20261128090000-check-schedule.js';
import { LabelStatements20261128090100 } from './migrations/20261128090100-label-statements.js';
import { RemovableMembers20261128100000 } from './migrations/20261128100000-removable-members.js';
import { Collections20261129090000 } from './migrations/20261129090000-collections.js';
import { ProvedHostKeys20261130090000 } from './migrations/20261130090000-proved-host-keys.js';
import { PlanTexts20261205090000 } from './migrations/20261205090000-plan-texts.js';
import { PlanFolders20261207090000 } from './migrations/20261207090000-plan-folders.js';
import { ServerVariables20261125110000 } from './migrations/20261125110000-server-variables.js';
import { KnownPlaces20261123110000 } from './migrations/20261123110000-known-places.js';
import { ApprovalAuthors20261123150000 } from './migrations/20261123150000-approval-authors.js';
import { InheritedResults20261123150100 } from './migrations/20261123150100-inherited-results.js';
import { HostMachines20261123120000 } from './migrations/20261123120000-host-machines.js';
import { StepReasons20261123170000 } from './migrations/20261123170000-step-reasons.js';
import { ServerState20261124100000 } from './migrations/20261124100000-server-state.js';
import { ServerLabels20261124100100 } from './migrations/20261124100100-server-labels.js';
import { PinnedKeysAndJumps20261125090000 } from './migrations/20261125090000-pinned-keys-and-jumps.js';
import { Enrolments20261126090000 } from './migrations/20261126090000-enrolments.js';
import { GitSources20261201090000 } from './migrations/20261201090000-git-sources.js';
import { ContentFromGit20261201100000 } from './migrations/20261201100000-content-from-git.js';
import { RevisionMessages20261206090000 } from './migrations/20261206090000-revision-messages.js';
import { MonthPartitions20261209000000 } from './migrations/20261209000000-month-partitions.js';
import { Retention20261209000100 } from './migrations/20261209000100-retention.js';
import { StartError } from './start-error.js';

const MIGRATIONS = [
  TenantsAndMembers20261120100000,
  AuditTrail20261120100100,
  InventoryAndPlans20261120100200,
  Executions20261120100300,
  IdempotencyKeys20261120100400,
  Installation20261120100500,
  AuditChain20261120130000,
  EnvironmentWalls20261120120000,
  MembersAndSignIn20261120110000,
  MasterKeyRotation20261120140000,
  RunEngine20261121100000,
  Library20261121110000,
  EnvironmentJournal20261121200000,
  RetryTimes20261121210000,
  HostChecks20261121210100,
  FreeStrategy20261122100000,
  HostAddresses20261122110000,
  StoredAnswers20261123180000,
  WorkerHeartbeats20261123190000,
  ServerOrigins20261124110000,
  InventoryImports20261124120000,
  KeyRotations20261125100000,
  KeyCertificates20261125100100,
  ServerVariables20261125110000,
  KnownPlaces20261123110000,
  ApprovalAuthors20261123150000,
  InheritedResults20261123150100,
  HostMachines20261123120000,
  StepReasons20261123170000,
  ServerState20261124100000,
  ServerLabels20261124100100,
  PinnedKeysAndJumps20261125090000,
  ServerChecks20261125120000,
  Enrolments20261126090000,
  CheckSchedule20261128090000,
  LabelStatements20261128090100,
  RemovableMembers20261128100000,
  Collections20261129090000,
  ProvedHostKeys20261130090000,
  GitSources20261201090000,
  ContentFromGit20261201100000,
  PlanTexts20261205090000,
  RevisionMessages20261206090000,
  PlanFolders20261207090000,
  RunListIndexes20261208090000,
  AuditListIndexes20261208090100,
  MonthPartitions20261209000000,
  Retention20261209000100,
];

// Any constant will do; it only has to be the same in every process.
const MIGRATION_LOCK = 7_266_923;

/** Oldest PostgreSQL that the migrations and queries were tested on, as `server_version_num`. */
const OLDEST_SERVER = 150_000;

/**
 * Brings the database to this version's schema, as its owner: the application role, the tables, the queue. Safe to
 * call from any number of processes at once; they wait for one another.
 * @param url connection URL of the owner
 * @param masterKeyId id of the key that this process seals secrets with; null: whoever calls looks after that
 * @param appLogin the role that the application signs in as, which is let act as the application role; null: the owner's
 * @throws StartError when the server is too old, or the database's secrets were sealed with another key
 */
export async function migrateDatabase(
  url: string,
  masterKeyId: string | null,
  appLogin: string | null = null,
): Promise<void> {
  const owner = await new DataSource({
    ...ownerConnection(url),
    migrations: MIGRATIONS,
    migrationsTableName: 'runward_migrations',
    migrationsTransactionMode: 'each',
  }).initialize();
  const lock = owner.createQueryRunner();
  try {
    const [server] = (await lock.query(`select current_setting('server_version_num')::int as version`)) as [
      { version: number },
    ];
    if (server.version < OLDEST_SERVER) {
      throw new StartError(
        `The database is PostgreSQL ${Math.floor(server.version / 10_000)}; Runward needs 15 or newer.`,
      );
    }
    await lock.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await ensureAppRole(owner, appLogin);
    await owner.runMigrations();
    await installQueue(url, owner);
    if (masterKeyId !== null) await checkMasterKey(owner, masterKeyId);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await owner.destroy();
  }
}

/** Roles belong to the whole server, so another database's migration may be making the same one right now. */
async function ensureAppRole(owner: DataSource, appLogin: string | null): Promise<void> {
  await owner.query(`
    do $$ begin
      if not exists (select from pg_roles where rolname = '${APP_ROLE}') then
        create role ${APP_ROLE} nologin nosuperuser nobypassrls;
      end if;
    exception when duplicate_object or unique_violation then null;
    end $$;
    grant usage on schema public to ${APP_ROLE};
  `);
  const [login] = await owner.query<{ name: string; member: boolean }[]>(
    `select rolname as name, pg_has_role(oid, '${APP_ROLE}', 'member') as member
      from pg_roles where rolname = coalesce($1, current_user)`,
    [appLogin],
  );
  if (!login) throw new StartError(`The database has no role ${appLogin}: make it, or mend RUNWARD_DATABASE_APP_URL.`);
  if (!login.member) await owner.query(`grant ${APP_ROLE} to ${escapeIdentifier(login.name)}`);
}

async function checkMasterKey(owner: DataSource, masterKeyId: string): Promise<void> {
  await owner.query('insert into installation (master_key_id) values ($1) on conflict do nothing', [masterKeyId]);
  const [row] = await owner.query<{ master_key_id: string; next_master_key_id: string | null }[]>(
    'select master_key_id, next_master_key_id from installation',
  );
  if (row?.next_master_key_id) {
    throw new StartError('A change of the master key was cut off: finish it with npm run admin -- key rotate.');
  }
  if (row && row.master_key_id !== masterKeyId) {
    throw new StartError(
      `The master key (${masterKeyId}) is not the one that this database's secrets are sealed with (${row.master_key_id}): set RUNWARD_MASTER_KEY or RUNWARD_MASTER_KEY_FILE to that one. If a change of the key was cut off, finish it with npm run admin -- key rotate.`,
    );
  }
}
