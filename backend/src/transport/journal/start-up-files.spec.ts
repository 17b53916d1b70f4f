import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { evidence, newEntry } from '../../../test/support/journal-host.js';
import { type KeyHosts, startKeyHosts } from '../../../test/support/key-hosts.js';
import { FORCED_COMMANDS, LOGIN_SHELLS, type LoginShell, START_UPS } from '../../../test/support/start-up-files.js';
import { reportedStart } from '../../../test/support/reported-start.js';
import { openConnection } from '../connection/ssh-connection.js';

const LANES = Array.from({ length: 8 }, (_, index) => `127.0.1.${41 + index}`);
/** Time limits in ms: for a host that does not start commands, and for one that does. */
const SHORT_MS = 600;
const LONG_MS = 15_000;
const EMPTY = ['.bashrc', '.zshenv', '.tcshrc', '.config'];

interface Host {
  name: string;
  starts: boolean | 'either';
  journaled: boolean;
  forced: string;
  file: [string, string] | null;
}

/** `rbash` runs no program by its path and forbids `exec`. */
const startsBy = (shell: LoginShell, starts: Host['starts']) => (shell.name === 'rbash' ? false : starts);

const BY_SHELL: Host[] = LOGIN_SHELLS.flatMap((shell, row) =>
  START_UPS.flatMap(({ name, starts, text }, column): Host[] => {
    const own = text[shell.syntax];
    if (own === undefined) return [];
    const call = `exec ${shell.call} -c "$SSH_ORIGINAL_COMMAND"`;
    return [
      {
        name: `${shell.name}: ${name}`,
        starts: startsBy(shell, starts),
        journaled: (row + column) % 2 === 0,
        forced: shell.file === null ? `#!/bin/sh\nexec ${shell.call} "$HOME/start-up"\n` : `#!/bin/sh\n${call}\n`,
        file: shell.file === null ? ['start-up', `${own}\n${call}\n`] : [shell.file, `${own}\n`],
      },
    ];
  }),
);
const BY_FORCE: Host[] = FORCED_COMMANDS.flatMap(({ name, starts, text }) =>
  [true, false].map((journaled) => ({ name, starts, journaled, forced: `#!/bin/sh\n${text}\n`, file: null })),
);

let hosts: KeyHosts;
let owner: { uid: number; gid: number } | null = null;
beforeAll(async () => {
  hosts = await startKeyHosts(LANES, { extraConfig: 'ForceCommand "$HOME/forced"\nMaxStartups 100' });
  const idOf = (flag: string) => Number(execFileSync('id', [flag, hosts.hosts.sshd.user], { encoding: 'utf8' }));
  if (process.getuid?.() === 0) owner = { uid: idOf('-u'), gid: idOf('-g') };
});
afterAll(() => hosts.stop());

async function put(home: string, name: string, text: string): Promise<void> {
  const file = path.join(home, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
  if (owner) await chown(file, owner.uid, owner.gid);
}

/** Returns how the reported start disagrees with the host; null = it agrees. */
async function faultOn(address: string, host: Host): Promise<string | null> {
  const home = hosts.home(address);
  for (const name of EMPTY) await rm(path.join(home, name), { recursive: true, force: true });
  await put(home, 'forced', host.forced);
  if (host.file) await put(home, ...host.file);
  const file = path.join(home, `count-${randomUUID()}`);
  const connection = await openConnection(hosts.hosts.target({ host: address }));
  try {
    const reported = await reportedStart(connection, {
      script: `echo x >>${file}`,
      journal: host.journaled ? newEntry() : undefined,
      execTimeoutMs: host.starts === false ? SHORT_MS : LONG_MS,
    });
    const starts = evidence(file).length;
    const said = `${host.name}${host.journaled ? ', journal' : ''}: ${starts} starts, told ${reported.word} (${reported.why})`;
    if (starts > 1) return said;
    if (host.starts !== 'either' && starts !== (host.starts ? 1 : 0)) return said;
    if (reported.word === 'unknown') return host.starts === 'either' && reported.why !== '' ? null : said;
    if ((reported.word === 'started') !== (starts === 1)) return said;
    if (starts === 0 && !reported.why.includes(address)) return said;
    return null;
  } finally {
    connection.end();
    await connection.closed;
  }
}

async function faultsOn(all: readonly Host[]): Promise<string[]> {
  const left = [...all];
  const faults: string[] = [];
  const lane = async (address: string) => {
    for (let host = left.shift(); host; host = left.shift()) {
      const fault = await faultOn(address, host);
      if (fault !== null) faults.push(fault);
    }
  };
  await Promise.all(LANES.map(lane));
  return faults;
}

describe('a command is started at most once and reported correctly', () => {
  it(`by ${LOGIN_SHELLS.length} login shells with ${START_UPS.length} start-up files (${BY_SHELL.length} hosts)`, async () => {
    expect(await faultsOn(BY_SHELL)).toEqual([]);
  }, 120_000);

  it(`by ${BY_FORCE.length} hosts with forced commands`, async () => {
    expect(await faultsOn(BY_FORCE)).toEqual([]);
  }, 60_000);
});
