#!/usr/bin/env node
/**
 * Behind npm start, dev, demo, test, bench, chaos, admin, seed and cli: installs and builds what isn't yet, then runs the product on its own Node.
 * Needs nothing but Node 20 and npm.
 */
import { withAdminFolders } from './lib/admin-path.mjs';
import { build, explainBuildFailure, isBuilt } from './lib/build.mjs';
import { explainInstallFailure, install, isInstalled } from './lib/install.mjs';
import { inRoot, productNode, SERVER_ENVIRONMENT, SERVER_OPTIONS, SERVER_PROGRAM } from './lib/paths.mjs';
import { runInForeground } from './lib/run.mjs';
import { withSetupLock } from './lib/setup-lock.mjs';
import { red, sayOnStandardError } from './lib/terminal.mjs';

const PROGRAMS = {
  start: SERVER_PROGRAM,
  admin: 'backend/dist/bundle/admin.js',
  seed: 'backend/dist/bundle/seed.js',
  dev: 'scripts/dev.mjs',
  demo: 'scripts/demo.mjs',
  test: 'scripts/test.mjs',
  bench: 'e2e/bench/all.mjs',
  chaos: 'e2e/chaos/main.mjs',
  cli: 'cli/dist/runward.mjs',
};
/** It compiles by itself, again and again. */
const UNBUILT = new Set(['dev']);
/** They are asked by a person, or by a program that reads what they print: Ctrl-C and the terminal are theirs. */
const ASKED = new Set(['admin', 'cli']);
const OLDEST_NODE = 20;

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
// Also for package managers, and all that is started from here.
process.env.PATH = withAdminFolders(process.env.PATH);
try {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    throw new Error(`Runward needs Node.js ${OLDEST_NODE} or newer to install itself; this is ${process.version}.`);
  }
  const program = PROGRAMS[name];
  if (program === undefined)
    throw new Error(
      'Usage: npm start | npm run dev | npm run demo | npm test | npm run bench | npm run chaos | npm run admin -- <command> | npm run seed | npm run --silent cli -- <command>',
    );
  // What is printed on standard output belongs to the program.
  if (name === 'cli') sayOnStandardError();
  await prepare({ built: !UNBUILT.has(name) });
  process.exitCode = await runInForeground(
    [productNode(), ...(name === 'start' ? SERVER_OPTIONS : []), inRoot(program), ...args],
    {
      apart: !ASKED.has(name),
      ...(name === 'start' ? { env: SERVER_ENVIRONMENT } : {}),
      // npm changes to the root of the checkout: names of files are meant from where the person is.
      ...(name === 'cli' && process.env.INIT_CWD ? { cwd: process.env.INIT_CWD } : {}),
    },
  );
} catch (error) {
  process.stderr.write(`${red('✗')} ${error.message}\n`);
  process.exitCode = 1;
}
