import { DataSource } from 'typeorm';
import { createOwnerConnectionOptions } from '../connection.js';
import { MIGRATIONS } from '../migrations/all-migrations.js';
import { SCHEMA_GENERATION } from '../schema-generation.js';
import { row, rows, sql } from '../sql.js';

export interface MigrationPlan {
  /** Number of migrations of this version that the database has. */
  applied: number;
  /** Names of the migrations to run, in order. */
  pending: string[];
  /** Names of migrations of a newer version. */
  newer: string[];
  /** Whether processes of older versions can use the database no longer after the migrations. */
  refusesOlderCode: boolean;
}

/** Compares the migrations of this version with those of the database. Changes nothing. */
export async function readMigrationPlan(url: string): Promise<MigrationPlan> {
  const owner = await new DataSource(createOwnerConnectionOptions(url)).initialize();
  try {
    const tables = await row(
      owner,
      sql<{ migrations: boolean; generation: boolean }>`
        select to_regclass('public.runward_migrations') is not null as migrations,
          to_regclass('public.schema_generation') is not null as generation`,
    );
    const done = new Set(
      tables?.migrations
        ? (await rows(owner, sql<{ name: string }>`select name from runward_migrations order by id`)).map(
            ({ name }) => name,
          )
        : [],
    );
    const code = tables?.generation
      ? await row(owner, sql<{ oldest: number }>`select oldest_code as oldest from schema_generation`)
      : null;
    const own = MIGRATIONS.map(({ name }) => name);
    return {
      applied: own.filter((name) => done.has(name)).length,
      pending: own.filter((name) => !done.has(name)),
      newer: [...done].filter((name) => !own.includes(name)),
      refusesOlderCode: code != null && code.oldest < SCHEMA_GENERATION,
    };
  } finally {
    await owner.destroy();
  }
}
