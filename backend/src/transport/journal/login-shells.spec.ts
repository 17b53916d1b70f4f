import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { evidence, newEntry } from '../../../test/support/journal-host.js';
import { makeShellUser, type ShellUser, startDropbear } from '../../../test/support/shell-user.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import { LOGIN_SHELLS } from '../../../test/support/start-up-files.js';
import { reportedStart } from '../../../test/support/reported-start.js';
import { openConnection, type SshTarget } from '../connection/ssh-connection.js';

// Only root can create another account.
if (process.getuid?.() === 0) {
  describe('an account with a special login shell', () => {
    let user: ShellUser;
    let sshd: SshHosts;
    let dropbear: Awaited<ReturnType<typeof startDropbear>>;
    const cleanUp: (() => Promise<void>)[] = [];
    beforeAll(async () => {
      user = await makeShellUser('shells');
      cleanUp.push(() => user.remove());
      sshd = await startSshHosts();
      cleanUp.push(() => sshd.stop());
      dropbear = await startDropbear(user);
      cleanUp.push(() => dropbear.stop());
    });
    afterAll(async () => {
      for (const undo of cleanUp.reverse()) await undo();
    });

    const SERVERS: [string, () => SshTarget][] = [
      ['OpenSSH', () => sshd.target({ username: user.name })],
      ['Dropbear', () => dropbear.target],
    ];

    async function start(target: SshTarget, journaled: boolean, execTimeoutMs: number) {
      const connection = await openConnection(target);
      const file = path.join(user.home, `count-${randomUUID()}`);
      const journal = journaled ? newEntry() : undefined;
      const { word } = await reportedStart(connection, { script: `echo x >>${file}`, journal, execTimeoutMs });
      connection.end();
      await connection.closed;
      return { word, starts: evidence(file).length };
    }

    it.each(LOGIN_SHELLS.map((shell) => [shell.name, shell] as const))(
      '%s starts a command once, and never when it becomes another shell',
      async (name, { file, syntax }) => {
        const found = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
        // Dropbear accepts only login shells that are listed in /etc/shells.
        const listed = readFileSync('/etc/shells', 'utf8').split('\n');
        const program = [found, realpathSync(found)].find((each) => listed.includes(each));
        const own = program ?? path.join(user.home, 'ash');
        if (!program) await symlink(found, own);
        user.become(own);
        for (const [server, target] of SERVERS.slice(0, program ? 2 : 1)) {
          const once = { server, word: name === 'rbash' ? 'not started' : 'started', starts: name === 'rbash' ? 0 : 1 };
          for (const journaled of [true, false])
            expect({ server, ...(await start(target(), journaled, 15_000)) }).toEqual(once);
          if (file === null) continue;
          await user.write(file, syntax === 'posix' && name === 'zsh' ? 'exec bash --norc\n' : 'exec zsh -f\n');
          for (const journaled of [true, false])
            expect({ server, ...(await start(target(), journaled, 600)) }).toEqual({
              server,
              word: 'not started',
              starts: 0,
            });
          await rm(path.join(user.home, file));
        }
      },
    );
  });
}
