/** Paths of the checkout, and the Node.js and npm to call. Runs on Node 20 without packages. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
export const cacheDir = path.join(root, '.cache');
export const inRoot = (...parts) => path.join(root, ...parts);

const MIN_NODE_VERSION = 22;

/**
 * Returns the path of the product's Node.js: from its packages, otherwise the running Node.js if it is new enough.
 *
 * @throws Error with one line that says what to do
 */
export function productNode() {
  const own = inRoot('node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= MIN_NODE_VERSION) return process.execPath;
  throw new Error(
    `Runward brings its own Node.js for Linux on x64 and arm64; on ${process.platform}-${process.arch} ` +
      `install Node.js 24 and start again (this is ${process.version}).`,
  );
}

/** Bundled service; see `backend/rolldown.config.ts`. */
export const SERVER_PROGRAM = 'backend/dist/bundle/main.js';

/**
 * Node.js options of Runward processes.
 *
 * `--max-semi-space-size=8`: requests create mostly short-lived objects. With the default of 16 MB, the API uses about
 * 40 MB more (217 instead of 179 MiB when ready, 256 instead of 193 MiB after 300 lists).
 *
 * `--heap-growing-percent=30`: old objects are collected after growing by 30 percent instead of up to 300 percent. A
 * run of 10,000 hosts takes 260 instead of 345 MiB, and a tenth more CPU time.
 */
export const SERVER_OPTIONS = ['--max-semi-space-size=8', '--heap-growing-percent=30'];

/**
 * Environment of Runward processes. glibc keeps a memory pool per thread and returns little of it. With one shared
 * pool, the API uses about 30 MB less after thousands of requests (204 instead of 238 MiB), and a worker 10 MB less,
 * without more CPU time. A value from the environment has precedence.
 */
export const SERVER_ENVIRONMENT = { MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '1' };

/**
 * Returns the command line of npm, run with the Node.js that started npm. An installation replaces the Node.js under
 * node_modules, so npm must not run on that one.
 */
export function npmCommand() {
  const { npm_execpath: script, npm_node_execpath: node } = process.env;
  if (script && /npm-cli\.[cm]?js$/.test(script)) return [node ?? process.execPath, script];
  return ['npm'];
}

/**
 * Returns the environment of child processes. The product's Node.js is first in PATH, and variables of the surrounding
 * npm call are removed.
 */
export function childEnvironment(extra = {}) {
  const npmCallPattern = /^npm_(lifecycle|package|command|execpath|node_execpath|config_local_prefix)/;
  const kept = Object.entries(process.env).filter(([name]) => !npmCallPattern.test(name));
  const bin = inRoot('node_modules', '.bin');
  const rest = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== bin);
  return { ...Object.fromEntries(kept), PATH: [bin, ...rest].join(path.delimiter), ...extra };
}

/**
 * Returns a command prefix: the kernel ends the command when this process is killed. Empty if the machine does not
 * support this.
 */
export function endWithParent() {
  const prefix = ['setpriv', '--pdeathsig', 'TERM', '--'];
  return spawnSync(prefix[0], [...prefix.slice(1), 'true'], { stdio: 'ignore' }).status === 0 ? prefix : [];
}
