/**
 * OpenSSH servers on loopback for the demo, the tests and the benches. Runs on Node 20 or newer without packages, so it
 * also works before the installation.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureSshd, isRoot, oneLine } from './sshd-binary.mjs';
import { claimPort, endLeftover, startOne } from './sshd-server.mjs';

export { ensureSshd };

const run = promisify(execFile);

/**
 * Returns the account for logins of the tests and the demo. As root, this is a system account, created if necessary, so
 * that sshd drops its privileges as on a real host. Otherwise it is the current user. Idempotent and safe for
 * concurrent processes.
 */
export async function ensureLoginUser(name = 'runward-demo', home = path.join('/var/lib', name)) {
  if (!isRoot()) return os.userInfo().username;
  const deadline = Date.now() + 20_000;
  while (!findAccount(name)) {
    // '*' means no password. useradd's default '!' means locked, which an sshd without PAM rejects.
    const args = ['--system', '--no-create-home', '--home-dir', home, '--shell', '/bin/sh', '--password', '*', name];
    await run('useradd', args).catch(async (error) => {
      if (Date.now() > deadline) throw new Error(`The login user ${name} could not be made: ${oneLine(error)}`);
      await pause(100); // Another process has locked the account files.
    });
  }
  if (readFileSync('/etc/shadow', 'utf8').includes(`\n${name}:!`)) await run('usermod', ['-p', '*', name]);
  const account = findAccount(name);
  await mkdir(account.home, { recursive: true });
  await chown(account.home, account.uid, account.gid);
  return name;
}

function findAccount(name) {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]), home: fields[5] };
}

/**
 * Starts one sshd per address, all on the same port. Each address is a separate host with its own host key. Ends
 * servers that a previous process left running in the folder, but keeps their host keys. sshd.d.mts describes options
 * and result.
 *
 * @throws Error with one line: port in use, or the error message of sshd
 */
export async function startSshd(options) {
  const { addresses = ['127.0.0.1'], user = await ensureLoginUser() } = options;
  const start = addresses.length === 1 || options.oneMachine ? startOne : startMany;
  return start({ ...options, addresses, user, owner: isRoot() ? findAccount(user) : undefined });
}

async function startMany(options) {
  const dir = path.resolve(options.dir);
  await mkdir(dir, { recursive: true });
  if (isRoot()) await chmod(dir, 0o755);
  // An earlier start with `oneMachine` may have left a server running.
  await endLeftover(dir);
  const folders = options.addresses.map((address) => path.join(dir, address));
  // Servers that were left running may hold the requested port.
  for (const folder of folders) await endLeftover(folder);
  const start = async () => {
    const port = options.claimed ? options.port : await claimPort(options.addresses, options.port ?? 0);
    const startedAt = await Promise.allSettled(
      options.addresses.map((address, index) =>
        startOne({ ...options, dir: folders[index], addresses: [address], port, claimed: true }),
      ),
    );
    const failed = startedAt.find(({ status }) => status === 'rejected');
    if (!failed) return startedAt.map(({ value }) => value);
    await Promise.all(startedAt.map(({ value }) => value?.stop()));
    throw failed.reason;
  };
  const hosts = await start().catch((error) => {
    if (options.port || !/in use/.test(error.message)) throw error;
    return start();
  });
  const [first] = hosts;
  return {
    ...first,
    pids: hosts.map(({ pid }) => pid),
    addresses: [...options.addresses],
    hostKeyOf: (address) => (hosts.find(({ addresses }) => addresses.includes(address)) ?? first).hostKey,
    addAuthorizedKey: async (line) => void (await Promise.all(hosts.map((host) => host.addAuthorizedKey(line)))),
    kill: () => hosts.forEach((host) => host.kill()),
    stop: async () => void (await Promise.all(hosts.map((host) => host.stop()))),
  };
}
