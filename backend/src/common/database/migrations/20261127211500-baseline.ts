import type { MigrationInterface, QueryRunner } from 'typeorm';
import { AUDIT } from './baseline/audit.js';
import { AUTH } from './baseline/auth.js';
import { COLLECTIONS } from './baseline/collections.js';
import { COMMON } from './baseline/common.js';
import { ENVIRONMENTS } from './baseline/environments.js';
import { EXECUTIONS } from './baseline/executions.js';
import { GIT_SOURCES } from './baseline/git-sources.js';
import { INVENTORY } from './baseline/inventory.js';
import { KEYS } from './baseline/keys.js';
import { NOTIFICATIONS } from './baseline/notifications.js';
import { OUTBOX } from './baseline/outbox.js';
import { PLANS } from './baseline/plans.js';
import { SCHEDULES } from './baseline/schedules.js';
import { SCRIPTS } from './baseline/scripts.js';
import { TEMPLATES } from './baseline/templates.js';
import { TENANCY } from './baseline/tenancy.js';
import { WEBHOOKS } from './baseline/webhooks.js';
import { protectTenantTable } from './tenant-table.js';

/** In the order of their references. */
const MODULES = [
  ...[TENANCY, COMMON, AUDIT, OUTBOX, KEYS, COLLECTIONS, ENVIRONMENTS, AUTH, GIT_SOURCES, INVENTORY],
  ...[SCRIPTS, TEMPLATES, PLANS, EXECUTIONS, WEBHOOKS, SCHEDULES, NOTIFICATIONS],
];

/** Tables with one partition for each month. Partitions are created by `make_month_partitions`. */
const PARTITIONED_TABLES = ['output_chunks', 'execution_events', 'host_results'];

/** Oldest generation of code that may use this schema. */
export const BASELINE_GENERATION = 5;

/** The whole schema at the start of the migrations. Earlier schemas were never released; see `take-over.ts`. */
export class Baseline20261127211500 implements MigrationInterface {
  name = 'Baseline20261127211500';

  async up(runner: QueryRunner): Promise<void> {
    // Tables use functions, and functions read tables: their bodies are checked when they are called.
    await runner.query('set local check_function_bodies = off');
    for (const { functions } of MODULES) if (functions) await runner.query(functions);
    for (const { tables } of MODULES) await runner.query(tables);
    for (const { tenantTables } of MODULES)
      for (const [table, grants] of Object.entries(tenantTables)) await protectTenantTable(runner, table, grants);
    for (const { rules } of MODULES) if (rules) await runner.query(rules);
    for (const table of PARTITIONED_TABLES) await createFirstPartitions(runner, table);
    await runner.query('select make_month_partitions(3)');
    await runner.query('insert into schema_generation (oldest_code) values ($1)', [BASELINE_GENERATION]);
  }

  async down(): Promise<void> {
    throw new Error('Migrations only go forward; restore a backup instead.');
  }
}

/** Creates the partitions for runs until the end of this month, and for IDs that do not encode their time. */
async function createFirstPartitions(runner: QueryRunner, table: string): Promise<void> {
  const [next] = (await runner.query(
    `select first_id_at((date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC') as id`,
  )) as [{ id: string }];
  await runner.query(`
    create table ${table}_before partition of ${table} for values from (minvalue) to ('${next.id}');
    create table ${table}_rest partition of ${table} default;
    -- Only the owner accesses a partition by name: other roles have no privilege, and no policy shows a row.
    alter table ${table}_before enable row level security;
    alter table ${table}_rest enable row level security;
  `);
}
