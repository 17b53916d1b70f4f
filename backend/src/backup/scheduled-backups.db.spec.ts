import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { TEST_MASTER_KEY } from '../../test/support/master-key.js';
import { migrateDatabase } from '../common/database/boot/migrate.js';
import { checkArchive } from './archive-reader.js';
import { backUpToFile, scheduledFileName } from './backup-file.js';
import type { WriteBackup } from './backup-process.js';
import { ScheduledBackups } from './scheduled-backups.js';

let database: TestDatabase;
let folder: string;
let lines: string[];
let identity: string;

beforeEach(async () => {
  database = await createTestDatabase();
  await migrateDatabase(database.url, TEST_MASTER_KEY.id);
  const [row] = await database.query<{ identity: string }>('select identity from installation');
  identity = row?.identity ?? '';
  folder = await mkdtemp(path.join(tmpdir(), 'runward-scheduled-'));
  lines = [];
});
afterEach(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const write: WriteBackup = async (file, signal) => (await backUpToFile(database.url, file, { signal })).bytes;
const schedule = (at = folder, keep = 2) =>
  new ScheduledBackups(database.url, { folder: at, everyHours: 24, keep }, write, (line) => lines.push(line));
const records = () =>
  database.query<{ file: string; bytes: string | null; error: string | null }>(
    'select file, bytes, error from backups where scheduled order by started_at',
  );
const passHours = (hours: number) =>
  database.query(`update backups set ended_at = ended_at - make_interval(hours => $1)`, [hours]);

describe('scheduled backups', () => {
  it('are made by one of several processes, and only when due', async () => {
    const made = await Promise.all([schedule().backUpIfDue(), schedule().backUpIfDue(), schedule().backUpIfDue()]);
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await schedule().backUpIfDue()).toBe(false);
    const files = await readdir(folder);
    expect(files).toEqual([expect.stringMatching(/^runward-[0-9a-f]{8}-\d{8}T\d{6}Z\.tar$/)]);
    await checkArchive(path.join(folder, files[0] ?? ''));
    expect(await records()).toEqual([{ file: files[0], bytes: expect.stringMatching(/^\d+$/), error: null }]);
    await passHours(23);
    expect(await schedule().backUpIfDue()).toBe(false);
    await passHours(1);
    expect(await schedule().backUpIfDue()).toBe(true);
    expect(await records()).toHaveLength(2);
  });

  it('keep the newest backups of their installation, and delete what killed backups left', async () => {
    const at = (day: number) => scheduledFileName(identity, new Date(Date.UTC(2026, 0, day)));
    const foreign = [
      'notes.txt',
      scheduledFileName('ffffffff-0000', new Date(0)),
      `${scheduledFileName('ffffffff-0000', new Date(0))}.partial`,
    ];
    for (const name of [at(1), at(2), at(3), `${at(4)}.partial`, ...foreign])
      await writeFile(path.join(folder, name), 'x');
    expect(await schedule().backUpIfDue()).toBe(true);
    const [{ file = '' } = {}] = await records();
    expect((await readdir(folder)).sort()).toEqual([at(3), file, ...foreign].sort());
  });

  it('that fail are recorded with the reason, and tried again after 15 minutes', async () => {
    const blocked = path.join(folder, 'file');
    await writeFile(blocked, '');
    expect(await schedule(blocked).backUpIfDue()).toBe(true);
    expect(await records()).toEqual([{ file: expect.any(String), bytes: null, error: expect.any(String) }]);
    expect(lines).toEqual([expect.stringMatching(/^The backup to .* failed; the next attempt is in 15 minutes\. \S/)]);
    expect(await schedule(blocked).backUpIfDue()).toBe(false);
    await rm(blocked);
    await mkdir(blocked);
    await passHours(1);
    expect(await schedule(blocked).backUpIfDue()).toBe(true);
    expect(await records()).toMatchObject([{ bytes: null }, { error: null }]);
  });

  it('end with their process, and leave no file', async () => {
    const backups = schedule();
    const made = backups.backUpIfDue();
    await backups.stop();
    await made.catch(() => undefined);
    expect((await readdir(folder)).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });
});
