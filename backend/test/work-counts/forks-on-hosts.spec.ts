import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SshConnection } from '../../src/transport/connection/ssh-connection.js';
import type { JournalEntry } from '../../src/transport/remote-command.js';
import { fewestForks } from '../support/fewest-forks.js';
import { type JournalHost, newEntry, startJournalHost } from '../support/journal-host.js';

/**
 * The session of sshd and the `cat` that takes the command in; with a journal, whose shell stays for the commands of a run
 * and reads short ones by itself, the leader of the command's session and a `tee` for each stream. One more is above the
 * 15 percent by which work may grow.
 */
const PLAIN = 2;
const JOURNALED = 1 + 2;
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

describe('the processes that a host forks for a command', () => {
  it('are two without a journal', async () => {
    expect(await fewestForks(PLAIN, () => run())).toBe(PLAIN);
  });

  it('are two more than its own with a journal, also when the host forgets the one before', async () => {
    const { folderId } = newEntry();
    let forget: string[] = [];
    const next = async () => {
      const entry = newEntry({ folderId, forget });
      forget = [entry.dispatchId];
      await run(entry);
    };
    await next();
    expect(await fewestForks(JOURNALED, next)).toBe(JOURNALED);
  });

  it('are one more for a command that is too long for a shell to read', async () => {
    const { folderId } = newEntry();
    await run(newEntry({ folderId }));
    expect(await fewestForks(JOURNALED + 1, () => run(newEntry({ folderId }), LONG))).toBe(JOURNALED + 1);
  });

  it('are two more for the first command of a run: the session of sshd, and the folder of the run', async () => {
    expect(await fewestForks(JOURNALED + 2, () => run(newEntry()))).toBe(JOURNALED + 2);
  });

  it('are none for forgetting a run beyond the one that removes, which the shell becomes', async () => {
    const commandAndForget = async () => {
      const entry = newEntry();
      await run(entry);
      await connection.forget(entry.folderId, { whole: true });
    };
    await commandAndForget();
    expect(await fewestForks(JOURNALED + 2, commandAndForget)).toBe(JOURNALED + 2);
  });

  it('are one for forgetting a run that no shell stays for, once the leftovers of the day are gone', async () => {
    await connection.forget(randomUUID(), { whole: true });
    const forget = () => connection.forget(randomUUID(), { whole: true });
    expect(await fewestForks(1, forget)).toBe(1);
  });
});
