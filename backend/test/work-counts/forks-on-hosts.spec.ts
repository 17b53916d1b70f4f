import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SshConnection } from '../../src/transport/connection/ssh-connection.js';
import type { JournalEntry } from '../../src/transport/remote-command.js';
import { fewestForks } from '../support/fewest-forks.js';
import { type JournalHost, newEntry, startJournalHost } from '../support/journal-host.js';

/**
 * Number of forks without a journal: sshd's session, and the `cat` that reads the command. With a journal, a shell is
 * kept for all commands of a run and reads short ones without a fork. The forks are then the leader of the command's
 * session and a `tee` per stream. One more fork would exceed the 15 percent by which work may grow.
 */
const PLAIN = 2;
const JOURNAL_FORKS = 1 + 2;
const LONG = `true ${'x'.repeat(5_000)}`;

let host: JournalHost;
let connection: SshConnection;
beforeAll(async () => {
  host = await startJournalHost('127.0.1.61');
  connection = await host.connect();
});
afterAll(() => host.stop());

async function run(journal?: JournalEntry, script = 'true'): Promise<void> {
  const command = await connection.exec({ script, journal, onOutput: () => undefined });
  expect(await command.result).toEqual({ kind: 'exited', exitCode: 0 });
  expect(command.journaled).toBe(journal !== undefined);
}

describe('processes that a host forks for a command', () => {
  it('are 2 without a journal', async () => {
    expect(await fewestForks(PLAIN, () => run())).toBe(PLAIN);
  });

  it('are 2 plus its own with a journal, also when the host deletes the previous dispatch', async () => {
    const { folderId } = newEntry();
    let forget: string[] = [];
    const next = async () => {
      const entry = newEntry({ folderId, forget });
      forget = [entry.dispatchId];
      await run(entry);
    };
    await next();
    expect(await fewestForks(JOURNAL_FORKS, next)).toBe(JOURNAL_FORKS);
  });

  it('are one more for a command that the shell cannot read without a fork', async () => {
    const { folderId } = newEntry();
    await run(newEntry({ folderId }));
    expect(await fewestForks(JOURNAL_FORKS + 1, () => run(newEntry({ folderId }), LONG))).toBe(JOURNAL_FORKS + 1);
  });

  it('are 2 more for the first command of a run: sshd’s session and the folder of the run', async () => {
    expect(await fewestForks(JOURNAL_FORKS + 2, () => run(newEntry()))).toBe(JOURNAL_FORKS + 2);
  });

  it('are none for deleting a run, except the removing program, which replaces the shell', async () => {
    const commandAndForget = async () => {
      const entry = newEntry();
      await run(entry);
      await connection.forget(entry.folderId, { whole: true });
    };
    await commandAndForget();
    expect(await fewestForks(JOURNAL_FORKS + 2, commandAndForget)).toBe(JOURNAL_FORKS + 2);
  });

  it('are one for deleting a run without a shell, after the daily cleanup', async () => {
    await connection.forget(randomUUID(), { whole: true });
    const forget = () => connection.forget(randomUUID(), { whole: true });
    expect(await fewestForks(1, forget)).toBe(1);
  });
});
