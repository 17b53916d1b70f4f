import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Fleet } from './fleet.js';

const run = promisify(execFile);

/** Repository that a host of the fleet serves over SSH. */
export interface GitRemote {
  url: string;
  /** Pushes a commit that adds or replaces these files. */
  commit(files: Record<string, string>, message: string): Promise<void>;
  end(): Promise<void>;
}

export async function startGitRemote(fleet: Fleet, address: string): Promise<GitRemote> {
  const folder = await mkdtemp(join(tmpdir(), 'runward-e2e-git-'));
  await chmod(folder, 0o755);
  const env = {
    ...process.env,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@e2e.test',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@e2e.test',
  };
  const [served, copy] = [join(folder, 'plans.git'), join(folder, 'copy')];
  const git = (...args: string[]) => run('git', args, { env });
  await git('config', '--global', 'safe.directory', '*');
  await git('init', '--quiet', '--bare', '--initial-branch=main', served);
  await git('init', '--quiet', '--initial-branch=main', copy);
  // Git only serves repositories that belong to its own user.
  const serve = async () => process.getuid?.() === 0 && (await run('chown', ['-R', fleet.user, served]));
  await serve();
  return {
    url: `ssh://${fleet.user}@${address}:${fleet.port}${served}`,
    async commit(files, message) {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(copy, name)), { recursive: true });
        await writeFile(join(copy, name), content);
      }
      await git('-C', copy, 'add', '--all');
      await git('-C', copy, 'commit', '--quiet', '--message', message);
      await git('-C', copy, 'push', '--quiet', served, 'main');
      await serve();
    },
    end: () => rm(folder, { recursive: true, force: true }),
  };
}
