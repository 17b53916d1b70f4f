/** Finds the browser for the tests, or installs the distribution's. Never the npm package's own download. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** The fonts are what makes screenshots legible on a machine that has none. */
const PACKAGES = ['chromium', 'fonts-liberation'];
const APT_TIMEOUT_MS = 600_000;
const LOTS_OF_OUTPUT = 64 * 1024 * 1024;

/**
 * @returns path of a Chromium: `CHROMIUM` from the environment, the machine's, or (as root, on Debian) a fresh one
 * @throws Error with one line that names the package to install
 */
export async function ensureChromium({ log = () => {} } = {}) {
  const wanted = process.env.CHROMIUM;
  if (wanted) {
    if (isExecutable(wanted)) return wanted;
    throw new Error(`CHROMIUM: ${wanted} can't be run: set it to the path of a Chromium, or leave it out.`);
  }
  const found = CANDIDATES.find(isExecutable);
  if (found) return found;
  const remedy = `install it (Debian, Ubuntu: sudo apt-get install ${PACKAGES.join(' ')}) or set CHROMIUM to its path`;
  if (process.getuid?.() !== 0 || !isExecutable('/usr/bin/apt-get')) {
    throw new Error(`The browser tests need Chromium, which this machine doesn't have: ${remedy}.`);
  }
  try {
    await installPackages(log);
  } catch (error) {
    const told = String(error.stderr ?? '').split('\n');
    const reason = told.find((line) => line.startsWith('E:')) ?? error.message.split('\n')[0];
    throw new Error(`Chromium could not be installed (${reason}): ${remedy}.`, { cause: error });
  }
  const installed = CANDIDATES.find(isExecutable);
  if (!installed) throw new Error(`Chromium was installed, but isn't at ${CANDIDATES[0]}: ${remedy}.`);
  return installed;
}

async function installPackages(log) {
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: APT_TIMEOUT_MS,
    maxBuffer: LOTS_OF_OUTPUT,
  };
  const apt = (...args) => run('/usr/bin/apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], options);
  const install = () => apt('install', '-y', '--no-install-recommends', ...PACKAGES);
  log(`Installing the packages ${PACKAGES.join(' and ')}`);
  await install().catch(async () => {
    // Unknown or outdated package lists: the usual state of a fresh machine.
    log('Refreshing the package lists');
    await apt('update');
    await install();
  });
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
