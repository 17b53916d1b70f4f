/**
 * Installs programs that the tests need: shells, sudo, git, SSH client, connection pooler, tools of pipeline recipes and example clients.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { withoutStartingServices } from './sshd-binary.mjs';

const run = promisify(execFile);
const TOOLS = [
  ...['busybox', 'sudo', 'git', 'ssh', 'zsh', 'ksh', 'fish', 'tcsh', 'dropbear', 'curl', 'jq', 'pgbouncer'],
  ...['python3', 'go'],
];
const SERVICES = ['dropbear', 'pgbouncer'];
/** Package names that differ from the program name. */
const PACKAGES = { ssh: 'openssh-client', go: 'golang-go' };
const FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/go/bin'];
const APT_TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Installs missing tools if this process runs as root on Debian.
 *
 * @returns names of the tools
 * @throws Error with one line that names the packages to install
 */
export async function ensureTestTools({ log = () => {} } = {}) {
  const missing = TOOLS.filter((name) => !isInstalled(name)).map((name) => PACKAGES[name] ?? name);
  if (missing.length === 0) return TOOLS;
  const remedy = `install ${missing.join(' and ')} (Debian, Ubuntu: sudo apt-get install ${missing.join(' ')})`;
  if (process.getuid?.() !== 0 || !isInstalled('apt-get'))
    throw new Error(`The tests need ${missing.join(' and ')}, which this machine doesn't have: ${remedy}.`);
  try {
    await install(missing, log);
  } catch (error) {
    throw new Error(`${missing.join(' and ')} could not be installed: ${remedy}.`, { cause: error });
  }
  return TOOLS;
}

async function install(packages, log) {
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: APT_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  };
  const apt = (...args) => run('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], options);
  const command = ['install', '-y', '--no-install-recommends', ...packages];
  log(`Installing ${packages.join(' and ')}`);
  await withoutStartingServices(async () => {
    await apt(...command).catch(async () => {
      await apt('update');
      await apt(...command);
    });
  });
  // Prevents services from starting at the next boot, because the tests need only the programs.
  for (const service of SERVICES.filter((name) => packages.includes(name) && existsSync('/run/systemd/system')))
    await run('systemctl', ['disable', `${service}.service`]).catch(() => {});
}

function isInstalled(name) {
  return FOLDERS.some((folder) => {
    try {
      accessSync(path.join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
