import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { ensureLoginUser } from '../../../scripts/lib/sshd.mjs';

/** An account of this test alone, which `sudo` lets do what the rule says; taken away again by `remove`. As root only. */
export interface SudoUser {
  name: string;
  remove(): void;
}

/**
 * @param rule as in sudoers, after the user's name; null: sudo refuses the user everything
 * @param defaults settings of sudo for this user, such as `requiretty`
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
