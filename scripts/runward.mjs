#!/usr/bin/env node
/**
 * Entry point of npm start, dev, demo, test, bench, chaos, admin, seed and cli. Installs and builds if necessary, then
 * runs the program on the product's Node.js. Requires only Node 20 and npm.
 */
import { withAdminFolders } from './lib/admin-path.mjs';
import { build, explainBuildFailure, isBuilt } from './lib/build.mjs';
import { explainInstallFailure, install, isInstalled } from './lib/install.mjs';
import { inRoot, productNode, SERVER_ENVIRONMENT, SERVER_OPTIONS, SERVER_PROGRAM } from './lib/paths.mjs';
import { runInForeground } from './lib/run.mjs';
import { withSetupLock } from './lib/setup-lock.mjs';
import { red, printOnStandardError } from './lib/terminal.mjs';

const PROGRAMS = {
  start: SERVER_PROGRAM,
  admin: 'backend/dist/bundle/admin.js',
  seed: 'tools/seeding/main.mjs',
  dev: 'scripts/dev.mjs',
  demo: 'scripts/demo.mjs',
  test: 'scripts/test.mjs',
  bench: 'e2e/bench/all.mjs',
  chaos: 'e2e/chaos/main.mjs',
  cli: 'cli/dist/runward.mjs',
};
/** Programs that compile the back end themselves. */
const PROGRAMS_WITHOUT_BUILD = new Set(['dev']);
/**
 * Programs that stay in the terminal's session, because they are interactive or another program reads their output.
 * Ctrl-C reaches them directly.
 */
const TERMINAL_PROGRAMS = new Set(['admin', 'cli']);
const MIN_NODE_VERSION = 20;

async function prepare({ built }) {
  const ready = () => isInstalled() && (!built || isBuilt());
  if (ready()) return;
  await withSetupLock(async () => {
    if (!isInstalled()) await step(install, explainInstallFailure);
    if (built && !isBuilt()) await step(build, explainBuildFailure);
  });
}

async function step(work, explain) {
  await work().catch((error) => {
    throw new Error(explain(error), { cause: error });
  });
}

const [name, ...args] = process.argv.slice(2);
// Package managers and all child processes use this PATH too.
process.env.PATH = withAdminFolders(process.env.PATH);
try {
  if (Number(process.versions.node.split('.')[0]) < MIN_NODE_VERSION) {
    throw new Error(
      `Runward needs Node.js ${MIN_NODE_VERSION} or newer to install itself; this is ${process.version}.`,
    );
  }
  const program = PROGRAMS[name];
  if (program === undefined)
    throw new Error(
      'Usage: npm start | npm run dev | npm run demo | npm test | npm run bench | npm run chaos | npm run admin -- <command> | npm run seed | npm run --silent cli -- <command>',
    );
  // Only the program's own output may appear on standard output.
  if (name === 'cli' || (name === 'admin' && args.includes('-'))) printOnStandardError();
  await prepare({ built: !PROGRAMS_WITHOUT_BUILD.has(name) });
  process.exitCode = await runInForeground(
    [productNode(), ...(name === 'start' ? SERVER_OPTIONS : []), inRoot(program), ...args],
    {
      apart: !TERMINAL_PROGRAMS.has(name),
      ...(name === 'start' ? { env: SERVER_ENVIRONMENT } : {}),
      // npm changes to the root of the checkout, but file names are relative to the caller's folder.
      ...(name === 'cli' && process.env.INIT_CWD ? { cwd: process.env.INIT_CWD } : {}),
    },
  );
} catch (error) {
  process.stderr.write(`${red('✗')} ${error.message}\n`);
  process.exitCode = 1;
}
