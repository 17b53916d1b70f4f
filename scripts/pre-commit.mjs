/**
 * Checks format, lint and types of the staged changes. Reads the staged content, not the working tree, and modifies
 * neither. Runs on Node 20 without packages; the tools run on the product's Node.js.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { cacheDir, childEnvironment, inRoot, productNode, root } from './lib/paths.mjs';
import { dim, green, isLive, red, say, seconds } from './lib/terminal.mjs';

/** Checkout of the staged content. If a file is partially staged, its text in the working tree differs. */
const cache = path.join(cacheDir, 'pre-commit');
const tree = path.join(cache, 'tree');
const NAMES = {
  backend: 'back end',
  frontend: 'dashboard',
  cli: 'command line',
  e2e: 'browser stories',
  tools: 'tools',
};
const WORKSPACES = Object.keys(NAMES);
const LINTED_PATTERN = /\.(ts|tsx|mts|mjs|cjs|js)$/;
const TYPED_PATTERN = /\.(ts|tsx|mts)$/;
const LOCK_FILE = 'package-lock.json';

const startedAt = performance.now();

function main() {
  if (!existsSync(inRoot('node_modules/@biomejs/biome'))) throw new Error('Install the packages first: npm ci');
  const staged = stagedFiles();
  if (staged.length === 0) return 0;
  say(dim(`Checking ${staged.length === 1 ? 'the staged file' : `${staged.length} staged files`}`));
  unpack();
  const present = staged.filter((file) => existsSync(path.join(tree, file)));
  return inTurn([
    present.length > 0 && ['Format', 'biome', 'format', '--no-errors-on-unmatched', ...present],
    ...lints(present.filter((file) => LINTED_PATTERN.test(file))),
    ...workspacesOf(staged).map((name) => [`Types of the ${NAMES[name]}`, ...typecheck(name)]),
  ]);
}

/**
 * Returns the staged files, including deleted ones, relative to the root of the checkout. A renamed file counts as
 * deleted and added.
 */
function stagedFiles() {
  return git(['diff', '--cached', '--name-only', '--no-renames', '-z']).split('\0').filter(Boolean);
}

function unpack() {
  rmSync(tree, { recursive: true, force: true });
  mkdirSync(tree, { recursive: true });
  git(['checkout-index', '--all', `--prefix=${tree}${path.sep}`]);
  for (const folder of ['.', ...WORKSPACES]) {
    const packages = inRoot(folder, 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, path.join(tree, folder, 'node_modules'));
  }
}

/** ESLint contains only the rules for React, so it checks only the frontend. */
function lints(files) {
  const react = files.filter((file) => /^frontend\/src\/.*\.tsx?$/.test(file));
  return [
    files.length > 0 && ['Lint', 'oxlint', '--type-aware', '--no-error-on-unmatched-pattern', ...files],
    react.length > 0 && ['Lint of the rules of React', 'eslint', '--no-warn-ignored', ...react],
  ];
}

function workspacesOf(staged) {
  if (staged.includes(LOCK_FILE)) return WORKSPACES;
  const typed = staged.filter((file) => TYPED_PATTERN.test(file) || /tsconfig.*\.json$/.test(file));
  const own = WORKSPACES.filter((name) => typed.some((file) => file.startsWith(`${name}/`)));
  // Tests of the back end and browser tests use the declarations in scripts/lib.
  const shared = typed.some((file) => file.startsWith('scripts/')) ? ['backend', 'e2e'] : [];
  // Tools use the source files of the back end.
  const users = own.includes('backend') ? ['tools'] : [];
  return WORKSPACES.filter((name) => [...own, ...shared, ...users].includes(name));
}

/**
 * Returns the command that checks the types of a workspace. Its build info file limits the next run to changed files.
 */
const typecheck = (name) => [
  ...['tsc', '--project', `${name}/tsconfig.json`, '--noEmit', '--incremental'],
  ...['--tsBuildInfoFile', path.join(cache, `${name}.tsbuildinfo`), '--pretty', String(isLive())],
];

async function inTurn(checks) {
  const outcomes = await Promise.all(checks.filter(Boolean).map(run));
  for (const { title, code, output } of outcomes) {
    if (code !== 0) say(output.trim().replaceAll(`${tree}${path.sep}`, ''));
    say(`${code === 0 ? green('✓') : red('✗')} ${title}`);
  }
  const failed = outcomes.some(({ code }) => code !== 0);
  say(dim(`${failed ? 'Not committed; git commit --no-verify commits it unchecked. ' : ''}${seconds(startedAt)}`));
  return failed ? 1 : 0;
}

function run([title, tool, ...args]) {
  const program = inRoot('node_modules/.bin', tool);
  const env = childEnvironment({ FORCE_COLOR: isLive() ? '1' : '0' });
  const child = spawn(productNode(), [program, ...args], { cwd: tree, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = [child.stdout, child.stderr].map((stream) => text(stream));
  const output = Promise.all(texts).then((all) => all.join(''));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', async (code) => resolve({ title, code: code ?? 1, output: await output }));
  });
}

/** Runs git. Inherits GIT_INDEX_FILE of the commit in progress. */
function git(args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

try {
  process.exitCode = await main();
} catch (error) {
  say(`${red('✗')} ${error.message}`);
  process.exitCode = 1;
}
