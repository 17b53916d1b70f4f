/** Starts one sshd on loopback. Runs on Node 20 or newer without packages. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { environmentOf, isRoot, rootOf } from './sshd-binary.mjs';
import { ensureHostKey } from './sshd-host-key.mjs';
import { descendants, endTree, readOrEmpty, signalAll } from './sshd-processes.mjs';

const READY_TIMEOUT_MS = 10_000;
const MAX_SOCKETS = 16;

const filesIn = (dir) => ({
  config: path.join(dir, 'sshd_config'),
  pid: path.join(dir, 'sshd.pid'),
  log: path.join(dir, 'sshd.log'),
});

/** Starts one sshd that listens on all addresses as one host. @throws Error with one line */
export async function startOne(options) {
  const { sshdPath, addresses, user, authorizedKeys = [], hostKeyType = 'ed25519' } = options;
  const dir = path.resolve(options.dir);
  await mkdir(dir, { recursive: true });
  if (isRoot()) {
    await chmod(dir, 0o755);
    await mkdir('/run/sshd', { recursive: true });
  }
  const files = filesIn(dir);
  await endLeftover(dir);
  const hostKey = await ensureHostKey(path.join(dir, `ssh_host_${hostKeyType}_key`), hostKeyType);
  const keysFolder = options.homes ? dir : await reachableFolder(dir);
  const home = homeOf(options, keysFolder);
  const keysFile = path.join(home === null ? keysFolder : await ensureHome(home, options.owner), 'authorized_keys');
  await writeFile(keysFile, authorizedKeys.map((line) => `${line.trim()}\n`).join(''), { mode: 0o644 });
  if (home !== null && options.owner) await chown(keysFile, options.owner.uid, options.owner.gid);

  const removeKeys = () => (keysFolder === dir ? undefined : rm(keysFolder, { recursive: true, force: true }));
  const start = async () => {
    const port = options.claimed ? options.port : await claimPort(addresses, options.port ?? 0);
    await writeFile(files.config, configuration({ ...options, addresses, port, hostKey, keysFile, home }));
    return { port, child: await launch(sshdPath, files, addresses, port) };
  };
  const { port, child } = await start()
    .catch((error) => {
      // Another process may have bound the port after this one found it.
      if (options.port || !/in use/.test(error.message)) throw error;
      return start();
    })
    .catch(async (error) => {
      await removeKeys();
      throw error;
    });
  await writeFile(files.pid, `${child.pid}\n`);

  const publicHostKey = { type: hostKey.type, publicKey: hostKey.publicKey, fingerprint: hostKey.fingerprint };
  return {
    pid: child.pid,
    pids: [child.pid],
    port,
    addresses: [...addresses],
    user,
    hostKey: publicHostKey,
    hostKeyOf: () => publicHostKey,
    addAuthorizedKey: (line) => appendFile(keysFile, `${line.trim()}\n`),
    kill: () => signalAll([child.pid, ...descendants(child.pid)], 'SIGKILL'),
    stop: async () => {
      await endTree(child.pid);
      await rm(files.pid, { force: true });
      await removeKeys();
    },
  };
}

function homeOf({ homes, ownHome, addresses }, keysFolder) {
  if (homes) return path.join(homes, addresses[0]);
  return ownHome ? path.join(keysFolder, 'home') : null;
}

/** @returns the host's `.ssh` folder */
async function ensureHome(home, owner) {
  const folder = path.join(home, '.ssh');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (owner) for (const each of [home, folder]) await chown(each, owner.uid, owner.gid);
  return folder;
}

function configuration({ sshdPath, addresses, port, hostKey, keysFile, home, extraConfig = '' }) {
  // OpenSSH 9.8 split the server into several programs with compiled-in paths, which are wrong for an unpacked sshd.
  const parts =
    rootOf(sshdPath) === '/'
      ? []
      : [
          ['SshdSessionPath', 'sshd-session'],
          ['SshdAuthPath', 'sshd-auth'],
        ];
  const places = parts.map(([keyword, name]) => [keyword, path.join(rootOf(sshdPath), 'usr', 'lib', 'openssh', name)]);
  return [
    extraConfig, // Must come first: sshd uses the first value of a keyword.
    ...places.filter(([, file]) => existsSync(file)).map((pair) => pair.join(' ')),
    `Port ${port}`,
    ...listenAddresses(addresses),
    `HostKey ${hostKey.file}`,
    `AuthorizedKeysFile ${keysFile}`,
    ...(home === null ? [] : [`SetEnv HOME=${home}`]),
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'UseDNS no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    'MaxStartups 4000',
    'MaxSessions 100',
    'LogLevel ERROR',
    'PrintMotd no',
    'PrintLastLog no',
    'Subsystem sftp internal-sftp',
    '',
  ].join('\n');
}

/**
 * sshd listens on at most 16 sockets. For more addresses, one socket accepts all addresses, but only on the loopback
 * device.
 */
function listenAddresses(addresses) {
  if (addresses.length > MAX_SOCKETS) return ['ListenAddress 0.0.0.0 rdomain lo'];
  return addresses.map((address) => `ListenAddress ${address}`);
}

async function launch(sshdPath, files, addresses, port) {
  const log = openSync(files.log, 'w', 0o600);
  // Separate session: Ctrl-C must not disconnect the hosts while the run is being cancelled.
  const child = spawn(sshdPath, ['-D', '-e', '-f', files.config], {
    stdio: ['ignore', 'ignore', log],
    detached: true,
    env: environmentOf(sshdPath),
  });
  closeSync(log);
  let ended;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', () => (ended = 'it ended at once'));
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (const address of addresses) {
    while (ended || !(await accepts(address, port))) {
      const complaint = readOrEmpty(files.log).trim().split('\n').slice(-2).join(' ');
      const late = Date.now() > deadline;
      if (late) signalAll([child.pid], 'SIGKILL');
      if (ended || late)
        throw new Error(`sshd did not start on ${address}:${port}: ${ended ?? 'no answer'}. ${complaint}`);
      await pause(10);
    }
  }
  return child;
}

function accepts(host, port) {
  return new Promise((resolve) => {
    const socket = net.connect({ host, port, timeout: 1000 });
    const done = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => done(true));
    socket.once('timeout', () => done(false));
    socket.once('error', () => done(false));
  });
}

/** Returns `requested` if it is free on every address; 0 selects a port that is free on every address. */
export async function claimPort(addresses, requested) {
  for (let attempt = 1; ; attempt += 1) {
    const servers = [];
    let port = requested;
    try {
      for (const address of addresses) {
        servers.push(await listen(address, port));
        port = servers[0].address().port;
      }
      return port;
    } catch (error) {
      const taken = error.code === 'EADDRINUSE';
      if (taken && (requested || attempt === 50)) {
        throw new Error(`Port ${port} is in use: choose another one for sshd.`, { cause: error });
      }
      if (!taken) throw error;
    } finally {
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    }
  }
}

function listen(host, port) {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => resolve(server));
  });
}

/**
 * Returns `dir` if every user can read files in it, otherwise a folder under /run. sshd reads the keys as the login
 * user.
 */
async function reachableFolder(dir) {
  if (!isRoot()) return dir;
  for (let folder = dir; ((await stat(folder)).mode & 0o001) !== 0; folder = path.dirname(folder)) {
    if (folder === path.dirname(folder)) return dir;
  }
  const elsewhere = await mkdtemp('/run/sshd/runward-');
  await chmod(elsewhere, 0o755);
  return elsewhere;
}

export async function endLeftover(dir) {
  const files = filesIn(dir);
  const pid = Number(readOrEmpty(files.pid));
  // Process IDs are reused, so the process is ended only if it uses this configuration file.
  if (pid > 1 && readOrEmpty(`/proc/${pid}/cmdline`).includes(files.config)) await endTree(pid);
}
