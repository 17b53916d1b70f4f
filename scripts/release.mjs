/**
 * Prepares a release: `npm run release -- 0.2.0`. Sets the version, gives the unreleased entries of the changelog that
 * version, stores the API as the released one, and commits and tags the result. Build the packages afterwards with
 * `npm run package`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { releaseChangelog, requireNextVersion } from './lib/changelog.mjs';
import { inRoot, npmCommand } from './lib/paths.mjs';
import { say } from './lib/terminal.mjs';

const run = (program, ...args) => execFileSync(program, args, { cwd: inRoot(), encoding: 'utf8' });
const npm = (...args) => run(...npmCommand(), ...args);
const read = (file) => readFileSync(inRoot(file), 'utf8');

try {
  const [version] = process.argv.slice(2);
  requireNextVersion(version, JSON.parse(read('package.json')).version);
  const changed = run('git', 'status', '--porcelain').trim();
  if (changed !== '') throw new Error(`Commit or discard these changes first:\n${changed}`);
  const changelog = releaseChangelog(read('CHANGELOG.md'), version, new Date());

  npm(
    'version',
    version,
    '--no-git-tag-version',
    '--include-workspace-root',
    '--workspaces',
    '--workspaces-update=false',
  );
  npm('install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund');
  writeFileSync(inRoot('CHANGELOG.md'), changelog);
  npm('run', 'build');
  npm('run', 'release:api');
  run('git', 'commit', '--all', '--message', `chore(release): ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Runward ${version}`);
  say(`Committed and tagged v${version}. Next: npm run package, then push the commit and the tag.`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
