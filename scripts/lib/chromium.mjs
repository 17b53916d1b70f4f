/**
 * Finds a browser for the tests, or installs the one of the distribution. Never uses the download of the npm package.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Debian's headless Chromium has the same engine, but needs two thirds of the CPU time. */
const SHELL = '/usr/bin/chromium-headless-shell';
const CANDIDATES = [SHELL, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Fonts, without which screenshots are illegible. */
const FONTS = 'fonts-liberation';
const APT_TIMEOUT_MS = 600_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Returns the first available browser: `CHROMIUM` from the environment, headless Chromium (installed if run as root on
 * Debian), then any other Chromium that is installed or can be installed.
 * @returns path of the executable
 * @throws Error with one line that names the package to install
 */
export async function ensureChromium({ log = () => {} } = {}) {
  const configured = process.env.CHROMIUM;
  if (configured) {
    if (isExecutable(configured)) return configured;
    throw new Error(`CHROMIUM: ${configured} can't be run: set it to the path of a Chromium, or leave it out.`);
  }
  if (isExecutable(SHELL)) return SHELL;
  const mayInstall = process.getuid?.() === 0 && isExecutable('/usr/bin/apt-get');
  const refused = mayInstall ? await refusalOf(['chromium-headless-shell', FONTS], log) : undefined;
  const found = CANDIDATES.find(isExecutable);
  if (found) return found;
  const remedy = `install it (Debian, Ubuntu: sudo apt-get install chromium ${FONTS}) or set CHROMIUM to its path`;
  if (!mayInstall) throw new Error(`The browser tests need Chromium, which this machine doesn't have: ${remedy}.`);
  const cause = (await refusalOf(['chromium', FONTS], log)) ?? refused;
  const installed = CANDIDATES.find(isExecutable);
  if (installed) return installed;
  throw new Error(`Chromium could not be installed (${inOneLine(cause)}): ${remedy}.`, { cause });
}

/**
 * Installs packages.
 * @returns error; undefined = installed
 */
async function refusalOf(packages, log) {
  try {
    await installPackages(packages, log);
    return undefined;
  } catch (error) {
    return error;
  }
}

function inOneLine(error) {
  const lines = String(error?.stderr ?? '').split('\n');
  return lines.find((line) => line.startsWith('E:')) ?? error?.message.split('\n')[0] ?? 'it is not where it should be';
}

async function installPackages(packages, log) {
  const options = {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: APT_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  };
  const apt = (...args) => run('/usr/bin/apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...args], options);
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages);
  log(`Installing the packages ${packages.join(' and ')}`);
  await install().catch(async () => {
    // On a fresh machine, package lists are often missing or outdated.
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
