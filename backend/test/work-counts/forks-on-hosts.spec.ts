import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SshConnection } from '../../src/transport/connection/ssh-connection.js';
import type { JournalEntry } from '../../src/transport/remote-command.js';
import { type JournalHost, newEntry, startJournalHost } from '../support/journal-host.js';

/**
 * Counts what the machine's kernel has forked (processes and threads, `processes` in /proc/stat) from the request of a
 * command to its result, on a real sshd. Whatever else the machine does only adds to it, and nothing that the command
 * needs is forked outside of that time: the smallest count of some rounds is that of a round in which nothing else began.
 */
const forkedByNow = () => Number(/^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]);
const MOST_ROUNDS = 400;

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

/** The smallest count; looks no further once it is as small as it should be. */
async function fewestForks(goal: number, work: () => Promise<void>): Promise<number> {
  let fewest = Infinity;
  for (let round = 0; round < MOST_ROUNDS && fewest > goal; round += 1) {
    const before = forkedByNow();
    await work();
    fewest = Math.min(fewest, forkedByNow() - before);
  }
  return fewest;
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
