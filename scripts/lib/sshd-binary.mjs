/**
 * Provides an sshd: from the machine, from its package manager, or from the unpacked package without an installation.
 */
import { execFile } from 'node:child_process';
import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const repositoryRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const APT_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export const isRoot = () => process.getuid?.() === 0;

/**
 * Provides an sshd, in this order: the sshd of the machine; as root, the installed package of the distribution;
 * otherwise the package unpacked into `cacheDir`.
 *
 * @returns absolute path of the binary
 * @throws Error with one line that names the package to install
 */
export async function ensureSshd({ log = () => {}, cacheDir = path.join(repositoryRoot, '.cache', 'sshd') } = {}) {
  const found = await findSshd(cacheDir);
  if (found) return found;
  const remedy = 'install the package openssh-server (Debian, Ubuntu: apt-get install openssh-server) and try again';
  if (!(await onPath('apt-get'))) throw new Error(`No OpenSSH server was found on this machine: ${remedy}.`);
  try {
    await (isRoot() ? installPackage(log) : unpackPackage(cacheDir, log));
  } catch (error) {
    throw new Error(`No OpenSSH server was found, and it could not be fetched (${oneLine(error)}): ${remedy}.`, {
      cause: error,
    });
  }
  const fetched = await findSshd(cacheDir);
  if (!fetched) throw new Error(`The OpenSSH server that was fetched does not run on this machine: ${remedy}.`);
  return fetched;
}

/** Returns the root folder of an unpacked package; `/` for an installed sshd. */
export const rootOf = (sshdPath) => path.resolve(path.dirname(sshdPath), '..', '..');

export function environmentOf(sshdPath) {
  const libraries = path.join(rootOf(sshdPath), 'usr', 'lib');
  if (rootOf(sshdPath) === '/' || !existsSync(libraries)) return process.env;
  const folders = readdirSync(libraries).filter((name) => name.includes('-linux-'));
  const paths = [...folders.map((name) => path.join(libraries, name)), process.env.LD_LIBRARY_PATH];
  return { ...process.env, LD_LIBRARY_PATH: paths.filter(Boolean).join(':') };
}

async function findSshd(cacheDir) {
  const folders = [...(process.env.PATH ?? '').split(':').filter(path.isAbsolute), '/usr/sbin', '/usr/local/sbin'];
  const candidates = folders.map((folder) => path.join(folder, 'sshd'));
  // As root, sshd needs an account that only the installation creates.
  if (!isRoot()) candidates.push(path.join(cacheDir, 'usr', 'sbin', 'sshd'));
  for (const candidate of new Set(candidates)) {
    if ((await isExecutable(candidate)) && (await canLoad(candidate))) return candidate;
  }
  return undefined;
}

/** Whether the binary starts with all its libraries. If so, it answers an unknown option with its usage. */
function canLoad(sshdPath) {
  return run(sshdPath, ['-?'], { env: environmentOf(sshdPath), timeout: 10_000 }).then(
    () => true,
    (error) => /usage: sshd/.test(error.stderr ?? ''),
  );
}

async function installPackage(log) {
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: APT_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  };
  const apt = (...args) => run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], options);
  const install = () => apt('install', '-y', '--no-install-recommends', 'openssh-server');
  await withoutStartingServices(async () => {
    log('Installing the package openssh-server');
    await install().catch(async () => {
      log('Refreshing the package lists');
      await apt('update');
      await install();
    });
  });
  // Prevents a system-wide SSH server after the next boot, because the tests need only their own sshd.
  if (existsSync('/run/systemd/system'))
    await run('systemctl', ['disable', 'ssh.service', 'ssh.socket']).catch(() => {});
}

/**
 * Runs `work` with a temporary /usr/sbin/policy-rc.d, which stops Debian packages from starting their services. The
 * file has no effect after this process ends.
 */
export async function withoutStartingServices(work) {
  const policy = '/usr/sbin/policy-rc.d';
  const lines = [
    '#!/bin/sh',
    '# temporary, by Runward: install without starting services',
    `[ ! -d /proc/${process.pid} ] || exit 101`,
    '',
  ];
  const ours = await writeFile(policy, lines.join('\n'), { flag: 'wx', mode: 0o755 }).then(
    () => true,
    () => false, // The machine has its own policy.
  );
  try {
    await work();
  } finally {
    if (ours) await unlink(policy).catch(() => {});
  }
}

async function unpackPackage(cacheDir, log) {
  log('Unpacking the package openssh-server into the cache folder');
  await mkdir(path.dirname(cacheDir), { recursive: true });
  const work = await mkdtemp(`${cacheDir}-`);
  try {
    await download(work, ['openssh-server', 'libwrap0']);
    const tree = path.join(work, 'tree');
    for (const file of readdirSync(work).filter((name) => name.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', path.join(work, file), tree]);
    }
    await rm(cacheDir, { recursive: true, force: true });
    await rename(tree, cacheDir).catch((error) => {
      if (!existsSync(path.join(cacheDir, 'usr', 'sbin', 'sshd'))) throw error; // Another process unpacked it first.
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function download(folder, packages) {
  const apt = (...args) => run('apt-get', args, { cwd: folder, timeout: APT_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES });
  await apt('download', ...packages).catch(async () => {
    // Without root, the package lists of the machine can't be refreshed, so separate lists are used.
    const state = path.join(folder, 'apt');
    await mkdir(path.join(state, 'lists', 'partial'), { recursive: true });
    await mkdir(path.join(state, 'archives', 'partial'), { recursive: true });
    const own = ['-o', `Dir::State::lists=${state}/lists`, '-o', `Dir::Cache=${state}`];
    await apt(...own, 'update');
    await apt(...own, 'download', ...packages);
  });
}

async function onPath(name) {
  const folders = (process.env.PATH ?? '').split(':').filter(path.isAbsolute);
  return (await Promise.all(folders.map((folder) => isExecutable(path.join(folder, name))))).includes(true);
}

function isExecutable(file) {
  return access(file, constants.X_OK).then(
    () => statSync(file).isFile(),
    () => false,
  );
}

/** Returns the program's own error message in one line, if there is one, instead of "Command failed". */
export function oneLine(error) {
  const lines = (error?.stderr?.trim() || error?.message || 'no reason given').split('\n');
  return (lines.find((line) => /^(E:|Err)/.test(line)) ?? lines[0]).trim();
}
