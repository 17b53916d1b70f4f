import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { ensureLoginUser } from '../../../scripts/lib/sshd.mjs';

/** Temporary account with this sudo rule; `remove` deletes it. Requires root. */
export interface SudoUser {
  name: string;
  remove(): void;
}

/**
 * @param rule as in sudoers, after the user's name; null: no rights
 * @param defaults sudo settings for this user, such as `requiretty`
 */
export async function makeSudoUser(kind: string, rule: string | null, defaults?: string): Promise<SudoUser> {
  const name = `runward-${kind}-${process.pid}`;
  const file = `/etc/sudoers.d/${name}`;
  await ensureLoginUser(name);
  if (rule !== null) {
    const settings = defaults === undefined ? '' : `Defaults:${name} ${defaults}\n`;
    writeFileSync(file, `${settings}${name} ${rule}\n`, { mode: 0o440 });
    execFileSync('visudo', ['-cqf', file]);
  }
  return {
    name,
    remove() {
      rmSync(file, { force: true });
      execFileSync('userdel', ['-f', name], { stdio: 'ignore' });
      rmSync(`/var/lib/${name}`, { recursive: true, force: true });
    },
  };
}
