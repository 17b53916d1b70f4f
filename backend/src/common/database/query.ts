import type { Client } from 'pg';
import type { EntityManager } from 'typeorm';

/** Runs SQL within a unit of work, or on a connection of the database owner. */
export type Query = <R>(sql: string, values?: unknown[]) => Promise<R[]>;

export const queryOf =
  (tx: EntityManager): Query =>
  (sql, values) =>
    tx.query(sql, values);

export const queryOfClient =
  (client: Client): Query =>
  async <R>(sql: string, values?: unknown[]) =>
    (await client.query(sql, values)).rows as R[];
