import { chmod, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { eventually } from '../../../../test/support/eventually.js';
import { isAlive } from '../../../../test/support/processes.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { findProcessesIn } from './processes.js';
import type { EmbeddedPostgres } from './embedded-server.js';
import { keepPostgresRunning } from './keep-running.js';

let dataDir: string;
let data: string;
let lines: string[];
let giveUpReasons: string[];
const running: EmbeddedPostgres[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'rw-keep-'));
  await chmod(dataDir, 0o755);
  data = join(dataDir, 'postgres/data');
  [lines, giveUpReasons] = [[], []];
});
afterEach(async () => {
  for (const database of running.splice(0)) await database.stop();
  await rm(dataDir, { recursive: true });
});

async function start(): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ dataDir, log: () => undefined });
  running.push(database);
  return database;
}

const keep = (database: EmbeddedPostgres) =>
  keepPostgresRunning(database, {
    log: (line) => lines.push(line),
    giveUp: ({ message }) => giveUpReasons.push(message),
  });

async function query(database: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.appUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const waitUntilServed = (times: number) =>
  eventually(
    `it served again ${times} times`,
    () => lines.filter((line) => /is available again/.test(line)).length >= times,
  );

describe('a killed embedded server', () => {
  it('is restarted at the same address with a message, without losing commits', async () => {
    const database = await start();
    void keep(database);
    const { appUrl, pid } = database;
    const owner = new pg.Client({ connectionString: database.url });
    owner.on('error', () => undefined);
    await owner.connect();
    await owner.query(`create table note as select 'committed'::text as line; grant select on note to runward_app`);
    process.kill(pid, 'SIGKILL');
    await waitUntilServed(1);
    expect(database.appUrl).toBe(appUrl);
    expect(database.pid).not.toBe(pid);
    expect(await query(database, 'select line from note')).toEqual([{ line: 'committed' }]);
    expect(lines).toEqual([
      'The embedded database ended. It was killed by SIGKILL. It is started again in 0.2 s.',
      expect.stringMatching(/^The embedded database is available again, after \d+\.\d s\.$/),
    ]);
  });

  it('is also restarted when an earlier Runward had started it', async () => {
    const first = await start();
    await writeFile(join(dataDir, 'runward.lock'), JSON.stringify({ pid: process.pid, startTicks: '1', bootId: 'x' }));
    const second = await start();
    expect(second.wasAdopted).toBe(true);
    void keep(second);
    process.kill(first.pid, 'SIGKILL');
    await waitUntilServed(1);
    expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is restarted when one of its processes hangs, after ending that process', async () => {
    const database = await start();
    void keep(database);
    const client = new pg.Client({ connectionString: database.appUrl });
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const hungPid = rows[0]?.pid ?? 0;
    process.kill(hungPid, 'SIGSTOP');
    process.kill(database.pid, 'SIGKILL');
    await waitUntilServed(1);
    expect(await isAlive(hungPid)).toBe(false);
    expect(await query(database, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is given up after five restarts with one line that names its log, and is never initialized again', async () => {
    const database = await start();
    const kept = keep(database);
    process.kill(database.pid, 'SIGKILL');
    await rename(data, `${data}.away`);
    await kept;
    expect(lines.map((line) => / in ([\d.]+) s\.$/.exec(line)?.[1])).toEqual(['0.2', '0.6', '1.8', '5', '10']);
    expect(giveUpReasons).toEqual([
      expect.stringMatching(/^The embedded database ended again after 5 restarts within 10 minutes, so Runward ends\./),
    ]);
    expect(giveUpReasons[0]).toContain(`Its log is ${join(dataDir, 'postgres/server.log')}.`);
    expect(giveUpReasons[0]).not.toContain('\n');
    expect(await readdir(join(dataDir, 'postgres'))).not.toContain('data');
  });

  it('is not restarted after a stop request, at any moment of a restart', async () => {
    for (const look of [/ended\./, /restarted/]) {
      const database = await start();
      const kept = keep(database);
      process.kill(database.pid, 'SIGKILL');
      if (look.source.startsWith('ended')) await eventually('it is noticed', () => lines.length > 0);
      else await eventually('it comes up', async () => (await findProcessesIn(data, 'postgres')).length > 0);
      await database.stop();
      await kept;
      expect(await findProcessesIn(data, 'postgres')).toEqual([]);
      expect(await readdir(dataDir)).not.toContain('runward.lock');
      expect(giveUpReasons).toEqual([]);
      lines = [];
    }
  });
});
