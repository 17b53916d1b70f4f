import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A fresh database on the outside server of DATABASE_URL; null when Runward shall use its embedded one. */
export interface OutsideDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Makes a database for one Runward when the tests were told to use an outside server. */
export async function outsideDatabase(): Promise<OutsideDatabase | null> {
  const server = process.env.DATABASE_URL;
  if (!server) return null;
  const name = `runward_e2e_${randomBytes(6).toString('hex')}`;
  await ask(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.toString(), drop: () => ask(server, `drop database if exists ${name} with (force)`) };
}

async function ask(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
