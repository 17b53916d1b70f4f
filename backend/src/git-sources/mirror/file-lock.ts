import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { GitError } from './git-error.js';

/** What `flock` ends with when somebody else held the lock for all of the time. */
const HELD = 75;

/**
 * Does `work` while no other process of this machine does such work under the same file. The lock belongs to a process of
 * its own, which lets go when this one ends, in whatever way: there is nothing left behind that would have to be cleaned.
 *
 * @throws GitError when it is not free within `waitMs`; and what `work` throws
 */
export async function underFileLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const seconds = String(Math.ceil(waitMs / 1000));
  const holder = spawn(
    'flock',
    ['-x', '-w', seconds, '-E', String(HELD), file, 'sh', '-c', 'echo held; exec cat >/dev/null'],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    },
  );
  holder.stdin.on('error', () => undefined);
  try {
    await new Promise<void>((resolve, reject) => {
      holder.stdout.once('data', () => resolve());
      holder.once('error', () =>
        reject(new GitError('git_missing', 'This machine has no flock. Install util-linux there.')),
      );
      holder.once('exit', (code) =>
        reject(
          code === HELD
            ? new GitError(
                'timed_out',
                `Another process of this machine worked on the mirror for more than ${seconds} seconds.`,
              )
            : new GitError('failed', 'The mirror could not be locked. Check that the data folder is writable.'),
        ),
      );
    });
    return await work();
  } finally {
    const ended =
      holder.exitCode === null && holder.signalCode === null && holder.pid !== undefined ? once(holder, 'exit') : null;
    holder.stdin.end();
    await ended;
  }
}
