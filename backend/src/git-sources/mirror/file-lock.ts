import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { GitError } from './git-error.js';

/** Exit code of `flock` when it did not get the lock in time. */
const LOCK_HELD_STATUS = 75;

/**
 * Runs `work` while no other process on this machine runs work under the same lock file. A child process holds the lock
 * and releases it when this process ends for any reason, so a stale lock cannot remain.
 *
 * @throws GitError if the lock is not available within `waitMs`; errors of `work`
 */
export async function withFileLock<T>(file: string, waitMs: number, work: () => Promise<T>): Promise<T> {
  const seconds = String(Math.ceil(waitMs / 1000));
  const holder = spawn(
    'flock',
    ['-x', '-w', seconds, '-E', String(LOCK_HELD_STATUS), file, 'sh', '-c', 'echo held; exec cat >/dev/null'],
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
        reject(new GitError('git_missing', 'This machine has no flock. Install util-linux on it.')),
      );
      holder.once('exit', (code) =>
        reject(
          code === LOCK_HELD_STATUS
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
