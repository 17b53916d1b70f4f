import type { QueryRunner } from 'typeorm';

/**
 * Closes the database to code of an earlier generation, in the migration's own transaction. A migration that narrows
 * rights calls it: code that does not know the narrowing would read it as the full right.
 * @param generation that of the code that comes with the migration, `SCHEMA_GENERATION`
 */
export async function closeToOlderCode(runner: QueryRunner, generation: number): Promise<void> {
  await runner.query('update schema_generation set oldest_code = $1 where oldest_code < $1', [generation]);
}
