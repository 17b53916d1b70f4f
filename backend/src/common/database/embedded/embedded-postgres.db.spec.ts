import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { EmbeddedPostgres } from './embedded-server.js';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded-postgres.js';
import { readProcessMark, waitUntil } from './processes.js';

describe('embedded PostgreSQL', () => {
  const running: EmbeddedPostgres[] = [];
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rw-db-'));
    await chmod(dataDir, 0o755);
  });
  afterEach(async () => {
    for (const database of running.splice(0)) await database.stop();
    await rm(dataDir, { recursive: true });
  });

  async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const database = await startEmbeddedPostgres({ dataDir, log: () => undefined, ...options });
    running.push(database);
    return database;
  }

  async function query(database: EmbeddedPostgres, sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  const isGone = (pid: number) => async () => (await readProcessMark(pid)) === undefined;

  it('keeps its data over stop and start', async () => {
    const first = await start();
    expect(first.wasAdopted).toBe(false);
    await query(first, `create table note as select 'kept'::text as line`);
    await first.stop();
    expect(await readProcessMark(first.pid)).toBeUndefined();

    const second = await start();
    expect(await query(second, 'select line from note')).toEqual([{ line: 'kept' }]);
    expect(await query(second, 'show server_version_num')).toEqual([
      { server_version_num: expect.stringMatching(/^18/) },
    ]);
  });

  it('cannot be taken over by a copied data folder that only links to it', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'rw-outside-'));
    const copy = await mkdtemp(join(tmpdir(), 'rw-copy-'));
    try {
      for (const folder of [outside, copy]) await chmod(folder, 0o755);
      for (const folder of [dataDir, copy]) await symlink(outside, join(folder, 'postgres'));
      const original = await start();
      await query(original, `create table note as select 'kept'::text as line`);
      await expect(start({ dataDir: copy })).rejects.toThrow(`is a link to the database of ${dataDir}`);
      expect(await query(original, 'select line from note')).toEqual([{ line: 'kept' }]);
      await original.stop();

      await rm(join(dataDir, 'postgres'));
      const moved = await start({ dataDir: copy });
      expect(await query(moved, 'select line from note')).toEqual([{ line: 'kept' }]);
      await moved.stop();
    } finally {
      for (const folder of [outside, copy]) await rm(folder, { recursive: true });
    }
  });

  it('is reachable by this process only, and not over the network', async () => {
    const database = await start();
    expect((await stat(database.connection.host)).mode & 0o777).toBe(0o700);
    expect(await query(database, 'show listen_addresses')).toEqual([{ listen_addresses: '' }]);
  });

  it('recovers after its main process was killed, without losing commits', async () => {
    const first = await start();
    await query(first, `create table note as select 'committed'::text as line`);
    const endedPromise = first.waitUntilEnded();
    process.kill(first.pid, 'SIGKILL');
    expect(await endedPromise).toBe('killed by SIGKILL');
    await first.stop();

    const second = await start();
    expect(await query(second, 'select line from note')).toEqual([{ line: 'committed' }]);
  });

  it('starts although the number of the killed process is used again', async () => {
    const first = await start();
    process.kill(first.pid, 'SIGKILL');
    await waitUntil(isGone(first.pid), 5_000);
    await first.stop();
    const file = join(dataDir, 'postgres/data/postmaster.pid');
    await writeFile(file, (await readFile(file, 'utf8')).replace(/^\d+/, String(process.ppid)));

    const second = await start();
    expect(second.wasAdopted).toBe(false);
    expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('takes over a server left by a killed Runward, and stops it in the end', async () => {
    const first = await start();
    await writeFile(
      join(dataDir, 'runward.lock'),
      JSON.stringify({ pid: process.pid, startTicks: '1', bootId: 'earlier' }),
    );

    const second = await start();
    expect(second.wasAdopted).toBe(true);
    expect(second.pid).toBe(first.pid);
    const endedPromise = first.waitUntilEnded();
    await second.stop();
    await endedPromise;
    expect(await readProcessMark(first.pid)).toBeUndefined();
  });

  it('refuses a data folder of a live Runward unless sharing is requested', async () => {
    const first = await start();
    await expect(start()).rejects.toThrow(`is in use by another Runward (process ${process.pid})`);

    const shared = await start({ share: true });
    expect(shared.pid).toBe(first.pid);
    await shared.stop();
    expect(await query(first, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('moves its socket when the path of the data folder is too long', async () => {
    const long = join(dataDir, 'x'.repeat(100));
    await mkdir(long);
    const first = await start({ dataDir: long });
    expect(first.connection.host).toMatch(/^\/tmp\/runward-/);
    const shared = await start({ dataDir: long, share: true });
    expect(await query(shared, 'select 1 as one')).toEqual([{ one: 1 }]);
    await first.stop();
    await rm(first.connection.host, { recursive: true });
  });

  it('reports in one line that the path is not a data folder', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    await expect(start({ dataDir: file })).rejects.toThrow(
      /^The data folder .*\/file cannot be created \(it isn't a folder\)/,
    );
  });

  it('reports in one line why the server ended, and unlocks the folder', async () => {
    await expect(start({ settings: { shared_buffers: 'lots' } })).rejects.toThrow(
      /^The database did not start: FATAL: .*shared_buffers.*server\.log\)$/,
    );
    expect((await start()).wasAdopted).toBe(false);
  });

  it('refuses data of another major version', async () => {
    const data = join(dataDir, 'postgres/data');
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'PG_VERSION'), '17\n');
    await expect(start()).rejects.toThrow('contains data of PostgreSQL 17');
  });
});
