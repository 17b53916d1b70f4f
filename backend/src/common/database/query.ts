import type { Client } from 'pg';
import type { EntityManager } from 'typeorm';

/** What runs SQL: within a unit of work, or on a connection of the database's owner. */
export type Query = <R>(sql: string, values?: unknown[]) => Promise<R[]>;

/** The statements of a unit of work. */
export const queryOf =
  (tx: EntityManager): Query =>
  (sql, values) =>
    tx.query(sql, values);

/** The statements of one connection. */
export const queryOfClient =
  (client: Client): Query =>
  async <R>(sql: string, values?: unknown[]) =>
    (await client.query(sql, values)).rows as R[];
