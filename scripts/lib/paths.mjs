/** Where things are in the checkout, and which Node and npm to call. Runs on Node 20 without any package. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
export const cacheDir = path.join(root, '.cache');
export const inRoot = (...parts) => path.join(root, ...parts);

const OLDEST_NODE = 22;

/**
 * The Node that the product runs on: the one that came with its packages, else this one where it is new enough.
 *
 * @throws Error with one line that says what to do
 */
export function productNode() {
  const own = inRoot('node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= OLDEST_NODE) return process.execPath;
  throw new Error(
    `Runward brings its own Node.js for Linux on x64 and arm64; on ${process.platform}-${process.arch} ` +
      `install Node.js 24 and start again (this is ${process.version}).`,
  );
}

/** What is started as Runward: the service in a few files (`backend/rolldown.config.ts`). */
export const SERVER_PROGRAM = 'backend/dist/bundle/main.js';

/**
 * Options of Node.js for Runward itself. Requests leave much garbage and little else: with the usual 16 MB for each half of
 * the young objects the API keeps 40 MB more (217 against 179 MiB when it is ready, 256 against 193 after 300 lists). The old ones are looked
 * through when they have grown by 30 percent, not by up to 300: 345 to 260 MiB beside a run of 10,000 hosts, for a tenth more processor time.
 */
export const SERVER_OPTIONS = ['--max-semi-space-size=8', '--heap-growing-percent=30'];

/**
 * Environment of Runward itself. glibc keeps a pool of memory for each thread that asks it for some, and gives little of them
 * back; with one for all threads of Node.js the API keeps 30 MB less after thousands of requests (238 against 204 MiB) and a
 * worker 10 MB less, for no more processor time. What is set already counts.
 */
export const SERVER_ENVIRONMENT = { MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '1' };

/**
 * How to call npm: with the Node that npm itself was started on. The one under node_modules would be pulled away
 * from under its own feet by a new installation.
 */
export function npmCommand() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  if (script && /npm-cli\.[cm]?js$/.test(script)) return [node ?? process.execPath, script];
  return ['npm'];
}

/** The environment for what is started from here: the product's Node first, and nothing of the npm call above us. */
export function childEnvironment(extra = {}) {
  const ofTheCall = /^npm_(lifecycle|package|command|execpath|node_execpath|config_local_prefix)/;
  const kept = Object.entries(process.env).filter(([name]) => !ofTheCall.test(name));
  const bin = inRoot('node_modules', '.bin');
  const rest = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== bin);
  return { ...Object.fromEntries(kept), PATH: [bin, ...rest].join(path.delimiter), ...extra };
}

/** What to put before a command so that the kernel ends it when this process is killed; empty where it can't. */
export function endWithParent() {
  const prefix = ['setpriv', '--pdeathsig', 'TERM', '--'];
  return spawnSync(prefix[0], [...prefix.slice(1), 'true'], { stdio: 'ignore' }).status === 0 ? prefix : [];
}
