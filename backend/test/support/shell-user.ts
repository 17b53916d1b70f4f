import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { ensureLoginUser } from '../../../scripts/lib/sshd.mjs';
import { generateKeyPair } from '../../src/transport/keys/key-material.js';
import { parseHostKey } from '../../src/transport/keys/host-key.js';
import type { SshTarget } from '../../src/transport/connection/ssh-connection.js';
import { eventually } from './eventually.js';

/** Temporary account that logs in with its own shell; `remove` deletes it. Requires root. */
export interface ShellUser {
  name: string;
  home: string;
  become(shell: string): void;
  write(file: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function makeShellUser(kind: string): Promise<ShellUser> {
  const name = `runward-${kind}-${process.pid}`;
  await ensureLoginUser(name);
  const home = path.join('/var/lib', name);
  const [, , uid, gid] = accountOf(name);
  return {
    name,
    home,
    become: (shell) => void execFileSync('usermod', ['-s', shell, name], { stdio: 'ignore' }),
    async write(file, text) {
      const place = path.join(home, file);
      await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
      await writeFile(place, text);
      for (let each = place; each !== home; each = path.dirname(each)) await chown(each, Number(uid), Number(gid));
    },
    async remove() {
      execFileSync('userdel', ['-f', name], { stdio: 'ignore' });
      await rm(home, { recursive: true, force: true });
    },
  };
}

const accountOf = (name: string): string[] =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.split(':') ?? [];

export async function startDropbear(user: ShellUser): Promise<{ target: SshTarget; stop: () => Promise<void> }> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'runward-dropbear-'));
  const key = await generateKeyPair({ type: 'ed25519', comment: 'test' });
  const hostKeyFile = path.join(dir, 'host-key');
  const made = execFileSync('dropbearkey', ['-t', 'ed25519', '-f', hostKeyFile], { encoding: 'utf8', stdio: 'pipe' });
  const hostKey = parseHostKey(/^ssh-ed25519 \S+/m.exec(made)?.[0] ?? '');
  await user.write('.ssh/authorized_keys', `${key.publicKey}\n`);
  for (const [file, mode] of [
    ['.ssh', 0o700],
    ['.ssh/authorized_keys', 0o600],
    ['', 0o755],
  ] as const)
    await chmod(path.join(user.home, file), mode);
  const free = net.createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  await once(free, 'close');
  const args = ['-F', '-E', '-r', hostKeyFile, '-P', path.join(dir, 'pid'), '-p', `127.0.0.1:${port}`];
  const server = spawn('dropbear', args, { stdio: 'ignore' });
  await eventually(
    'Dropbear listens',
    () =>
      new Promise<boolean>((resolve) => {
        const socket = net.connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
        socket.on('error', () => resolve(false));
      }),
  );
  return {
    target: {
      host: '127.0.0.1',
      port,
      username: user.name,
      privateKey: key.privateKey,
      hostKeys: [hostKey],
      legacyAlgorithms: false,
    },
    async stop() {
      server.kill();
      await once(server, 'exit');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
