import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fingerprint, readStamp, writeStamp } from './fingerprint.mjs';
import { cacheDir, inRoot, npmCommand } from './paths.mjs';
import { runLogged } from './run.mjs';
import { withProgress } from './terminal.mjs';

const MANIFESTS = [
  'package-lock.json',
  'package.json',
  'backend/package.json',
  'frontend/package.json',
  'cli/package.json',
  'e2e/package.json',
];
/** In node_modules, so that deleting that folder also deletes the stamp. */
const stampFile = inRoot('node_modules', '.runward-installed');
const logFile = path.join(cacheDir, 'install.log');

const currentState = () => fingerprint(MANIFESTS, process.platform, process.arch);

export function isInstalled() {
  const state = currentState();
  if (readStamp(stampFile) === state) return true;
  if (!installedByHand()) return false;
  writeStamp(stampFile, state);
  return true;
}

/** @throws CommandError; pass it to `explainInstallFailure` */
export async function install() {
  rmSync(logFile, { force: true });
  await withProgress('Installing packages', () =>
    // The build tools are dev dependencies, so these are installed even if the caller sets NODE_ENV.
    runLogged([...npmCommand(), 'ci', '--no-audit', '--no-fund', '--include=dev', '--include=optional'], logFile),
  );
  writeStamp(stampFile, currentState());
}

/** Whether a manual `npm install` installed exactly the packages of the lock file. */
function installedByHand() {
  const lockFile = inRoot('node_modules', '.package-lock.json');
  if (!existsSync(lockFile)) return false;
  const locked = packagesOf(inRoot('package-lock.json'));
  const found = packagesOf(lockFile);
  const same = (name) =>
    found[name]?.version === locked[name]?.version && found[name]?.integrity === locked[name]?.integrity;
  const needed = Object.keys(locked).filter((name) => name.includes('node_modules/') && !locked[name].optional);
  return needed.every(same) && Object.keys(found).every((name) => name in locked && same(name));
}

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages ?? {};

const REMEDIES = [
  [/ENOSPC|no space left/i, 'The disk is full: free some space (an installation takes 1 GB) and start again.'],
  [
    /EACCES|EPERM|permission denied/i,
    'Files could not be written: the folder must belong to the user that starts Runward.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|network|proxy/i,
    'The package registry could not be reached: check the network (or `npm config get registry`) and start again.',
  ],
  [/E40[134]\b/, 'The package registry refused: check `npm config get registry` and your access to it.'],
  [
    /EUSAGE|not in sync|Missing: .* from lock file/,
    'package.json and package-lock.json differ: run `npm install` and commit both.',
  ],
];

export function explainInstallFailure(error) {
  const remedy =
    REMEDIES.find(([pattern]) => pattern.test(error.tail ?? ''))?.[1] ?? 'Start again; if it stays, read the log.';
  return [
    error.tail,
    '',
    `The packages could not be installed: ${error.message}. ${remedy}`,
    `Full log: ${logFile}`,
  ].join('\n');
}
