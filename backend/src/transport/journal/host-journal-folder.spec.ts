import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  attachToEnd,
  type JournalHost,
  newEntry,
  runJournaled,
  startJournalHost,
} from '../../../test/support/journal-host.js';
import type { JournalEntry } from '../remote-command.js';
import type { SshConnection } from '../connection/ssh-connection.js';

/** ~/.runward was changed by another user with write access to the home, or by the login user by mistake. */
let host: JournalHost;
let connection: SshConnection;
let elsewhere: string;
let journals: string;
beforeAll(async () => {
  host = await startJournalHost('127.0.1.41');
  connection = await host.connect();
  journals = path.join(host.home, '.runward');
  elsewhere = await mkdtemp(path.join(os.tmpdir(), 'runward-elsewhere-'));
});
afterEach(() => rmSync(journals, { recursive: true, force: true }));
afterAll(async () => {
  await host.stop();
  await rm(elsewhere, { recursive: true, force: true });
});

const LONG_AGO = new Date(Date.now() - 20 * 86_400_000);

function oldFolder(parent: string): string {
  const folder = path.join(parent, 'photos');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  writeFileSync(path.join(folder, 'one'), 'x');
  utimesSync(folder, LONG_AGO, LONG_AGO);
  return folder;
}

function forgeFolder(parent: string, { folderId, dispatchId }: JournalEntry): void {
  const folder = path.join(parent, folderId, dispatchId);
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}.begin`, 'run\n');
  for (const [name, text] of Object.entries({
    pid: '4194000 1 -',
    sup: '4194000 1 4194000 1 4194000 1 4194000 1',
    end: ' 0',
  }))
    writeFileSync(path.join(folder, name), `${text}\n`);
}

describe('a ~/.runward that is a link', () => {
  it('is not used: the command runs without a journal, and nothing is removed at the link target', async () => {
    symlinkSync(host.home, journals);
    const photos = oldFolder(host.home);
    const entry = newEntry();
    expect(await runJournaled(connection, 'echo fine', entry)).toMatchObject({
      result: { kind: 'exited', exitCode: 0 },
      journaled: false,
      stdout: 'fine\n',
    });
    await connection.forget(entry.folderId, { whole: true });
    expect(existsSync(photos)).toBe(true);
  });
});

describe('a ~/.runward of another user', () => {
  beforeAll(async () => {
    // Only root can create a folder of another user.
    if (process.getuid?.() === 0) await chown(elsewhere, 12_345, 12_345);
  });
  const place = async (): Promise<void> => {
    if (process.getuid?.() !== 0) return symlinkSync(elsewhere, journals);
    mkdirSync(journals);
    chmodSync(journals, 0o777);
    await chown(journals, 12_345, 12_345);
  };

  it('is not used', async () => {
    await place();
    expect(await runJournaled(connection, 'echo fine', newEntry())).toMatchObject({ journaled: false });
  });

  it('is not trusted as evidence of a command', async () => {
    await place();
    const entry = newEntry();
    forgeFolder(journals, entry);
    expect(await attachToEnd(connection, entry, { ifAbsent: 'void' })).toMatchObject({
      attached: { kind: 'no_journal' },
    });
  });
});

describe('an unrelated folder in ~/.runward', () => {
  it('is not removed with leftovers', async () => {
    const entry = newEntry();
    expect(await runJournaled(connection, 'true', entry)).toMatchObject({ journaled: true });
    const photos = oldFolder(journals);
    const leftover = path.join(journals, newEntry().folderId);
    mkdirSync(leftover);
    utimesSync(leftover, LONG_AGO, LONG_AGO);
    await connection.forget(entry.folderId, { whole: true });
    expect([existsSync(photos), existsSync(leftover)]).toEqual([true, false]);
  });
});
