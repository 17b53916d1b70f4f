/**
 * A real OpenSSH server of one's own on loopback, for the demo, the tests and the benches.
 * Plain Node 20 and newer, no package: it also runs before anything is installed.
 */
import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureSshd, environmentOf, isRoot, oneLine, rootOf } from './sshd-binary.mjs';
import { ensureHostKey } from './sshd-host-key.mjs';
import { descendants, endTree, readOrEmpty, signalAll } from './sshd-processes.mjs';

export { ensureSshd };

const run = promisify(execFile);
const READY_TIMEOUT_MS = 10_000;
const MOST_SOCKETS = 16;

/**
 * The account that tests and the demo log in to: as root a system account, made on first use, so that sshd drops its
 * privileges as on a real host; otherwise the current user. May be called again, and by several processes at once.
 */
export async function ensureLoginUser(name = 'runward-demo', home = path.join('/var/lib', name)) {
  if (!isRoot()) return os.userInfo().username;
  const deadline = Date.now() + 20_000;
  while (!findAccount(name)) {
    // '*' is "no password"; useradd's own '!' is "locked", which an sshd without PAM refuses
    const args = ['--system', '--no-create-home', '--home-dir', home, '--shell', '/bin/sh', '--password', '*', name];
    await run('useradd', args).catch(async (error) => {
      if (Date.now() > deadline) throw new Error(`The login user ${name} could not be made: ${oneLine(error)}`);
      await pause(100); // another process holds the lock of the account files
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
 * Starts one sshd that listens on every address given, all on one port: each address passes for a host of its own.
 * A server that an ended process left behind in the same folder is ended first; the host key in the folder is kept.
 * The options and the answer are described in sshd.d.mts.
 *
 * @throws Error with one line: the port is in use, or what sshd said
 */
export async function startSshd(options) {
  const { sshdPath, addresses = ['127.0.0.1'], authorizedKeys = [], hostKeyType = 'ed25519' } = options;
  const dir = path.resolve(options.dir);
  const user = options.user ?? (await ensureLoginUser());
  await mkdir(dir, { recursive: true });
  if (isRoot()) {
    await chmod(dir, 0o755);
    await mkdir('/run/sshd', { recursive: true });
  }
  const files = {
    config: path.join(dir, 'sshd_config'),
    pid: path.join(dir, 'sshd.pid'),
    log: path.join(dir, 'sshd.log'),
  };
  await endLeftover(files);
  const hostKey = await ensureHostKey(path.join(dir, `ssh_host_${hostKeyType}_key`), hostKeyType);
  const keysFolder = await reachableFolder(dir);
  const keysFile = path.join(keysFolder, 'authorized_keys');
  await writeFile(keysFile, authorizedKeys.map((line) => `${line.trim()}\n`).join(''), { mode: 0o644 });

  const removeKeys = () => (keysFolder === dir ? undefined : rm(keysFolder, { recursive: true, force: true }));
  const start = async () => {
    const port = options.claimed ? options.port : await claimPort(addresses, options.port ?? 0);
    await writeFile(files.config, configuration({ ...options, addresses, port, hostKey, keysFile }));
    return { port, child: await launch(sshdPath, files, addresses, port) };
  };
  const { port, child } = await start()
    .catch((error) => {
      // between finding a free port and binding it another process may have taken it
      if (options.port || !/in use/.test(error.message)) throw error;
      return start();
    })
    .catch(async (error) => {
      await removeKeys();
      throw error;
    });
  await writeFile(files.pid, `${child.pid}\n`);

  return {
    pid: child.pid,
    port,
    addresses: [...addresses],
    user,
    hostKey: { type: hostKey.type, publicKey: hostKey.publicKey, fingerprint: hostKey.fingerprint },
    addAuthorizedKey: (line) => appendFile(keysFile, `${line.trim()}\n`),
    kill: () => signalAll([child.pid, ...descendants(child.pid)], 'SIGKILL'),
    stop: async () => {
      await endTree(child.pid);
      await rm(files.pid, { force: true });
      await removeKeys();
    },
  };
}

function configuration({ sshdPath, addresses, port, hostKey, keysFile, extraConfig = '' }) {
  // OpenSSH 9.8 split the server into programs whose places are compiled in; an unpacked one has them elsewhere
  const parts =
    rootOf(sshdPath) === '/'
      ? []
      : [
          ['SshdSessionPath', 'sshd-session'],
          ['SshdAuthPath', 'sshd-auth'],
        ];
  const places = parts.map(([keyword, name]) => [keyword, path.join(rootOf(sshdPath), 'usr', 'lib', 'openssh', name)]);
  return [
    extraConfig, // first, because the first value of a keyword wins
    ...places.filter(([, file]) => existsSync(file)).map((pair) => pair.join(' ')),
    `Port ${port}`,
    ...listenAddresses(addresses),
    `HostKey ${hostKey.file}`,
    `AuthorizedKeysFile ${keysFile}`,
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

/** sshd listens on 16 sockets at most: for more addresses one socket takes every one of the loopback device, and no other. */
function listenAddresses(addresses) {
  if (addresses.length > MOST_SOCKETS) return ['ListenAddress 0.0.0.0 rdomain lo'];
  return addresses.map((address) => `ListenAddress ${address}`);
}

async function launch(sshdPath, files, addresses, port) {
  const log = openSync(files.log, 'w', 0o600);
  // in a session of its own: Ctrl-C at the terminal is for us, and must not cut the hosts off while a run is being ended
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

/** The port itself if it is free on every address; for 0 one that is. */
async function claimPort(addresses, wanted) {
  for (let attempt = 1; ; attempt += 1) {
    const servers = [];
    let port = wanted;
    try {
      for (const address of addresses) {
        servers.push(await listen(address, port));
        port = servers[0].address().port;
      }
      return port;
    } catch (error) {
      const taken = error.code === 'EADDRINUSE';
      if (taken && (wanted || attempt === 50)) {
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

/** The folder itself if every user can reach files in it, else one under /run: sshd reads the keys as the login user. */
async function reachableFolder(dir) {
  if (!isRoot()) return dir;
  for (let folder = dir; ((await stat(folder)).mode & 0o001) !== 0; folder = path.dirname(folder)) {
    if (folder === path.dirname(folder)) return dir;
  }
  const elsewhere = await mkdtemp('/run/sshd/runward-');
  await chmod(elsewhere, 0o755);
  return elsewhere;
}

async function endLeftover(files) {
  const pid = Number(readOrEmpty(files.pid));
  // a process id is used again in time: end the process only if it runs on our configuration
  if (pid > 1 && readOrEmpty(`/proc/${pid}/cmdline`).includes(files.config)) await endTree(pid);
}
