import type { QueryRunner } from 'typeorm';

/**
 * Excludes code of an earlier generation, in the migration's own transaction. Call it in a migration that narrows
 * rights: older code does not know the restriction and would use the full right.
 * @param generation generation of the code that comes with the migration, `SCHEMA_GENERATION`
 */
export async function closeToOlderCode(runner: QueryRunner, generation: number): Promise<void> {
  await runner.query('update schema_generation set oldest_code = $1 where oldest_code < $1', [generation]);
}
