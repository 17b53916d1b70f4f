import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { APP_ROLE } from '../connection.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { describeSystemError, StartError } from '../start-error.js';
import { canEnter, type DatabaseUser, chooseDatabaseUser, isRoot, getOwnUserName } from './system-user.js';

const execFileAsync = promisify(execFile);

export interface PostgresCluster {
  /** Parent folder; belongs to the user that runs Runward. */
  readonly base: string;
  /** Data folder of PostgreSQL. It belongs to `user`, like the socket folder. */
  readonly data: string;
  readonly hbaFile: string;
  readonly identFile: string;
  readonly log: string;
  readonly user: DatabaseUser;
}

export const OWNER_ROLE = 'postgres';

export const LOG_FILE_NAME = 'server.log';

const CLUSTER_LINK_NAME = 'postgres';
const MAJOR_VERSION = '18';
/** Parent folder for databases whose own data folder the database user cannot reach. */
const SYSTEM_DATA_FOLDER = '/var/lib/runward';
/** File with the path of the data folder that owns the database. It is in the folder that `postgres` links to. */
const OWNER_FILE_NAME = 'data-folder';

/** Returns the path of the initialized database; undefined = none. */
export async function locateCluster(dataDir: string): Promise<string | undefined> {
  return realpath(join(dataDir, CLUSTER_LINK_NAME, 'data')).catch(() => undefined);
}

export async function openCluster(dataDir: string, log: (line: string) => void): Promise<PostgresCluster> {
  try {
    const user = await findClusterOwner(await locateCluster(dataDir));
    const base = await openClusterFolder(dataDir, user, log);
    const cluster: PostgresCluster = {
      base,
      data: join(base, 'data'),
      hbaFile: join(base, 'pg_hba.conf'),
      identFile: join(base, 'pg_ident.conf'),
      log: join(base, LOG_FILE_NAME),
      user,
    };
    await writeAccessRules(cluster);
    return cluster;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The data folder ${dataDir} cannot be used (${describeSystemError(error)}).`);
  }
}

/**
 * Returns the user for the database. Root keeps the user of an existing database. Any other user must own the database.
 */
async function findClusterOwner(data: string | undefined): Promise<DatabaseUser> {
  if (data === undefined) return chooseDatabaseUser();
  const { uid, gid } = await stat(data);
  if (!isRoot()) {
    const own = await chooseDatabaseUser();
    if (own.uid === uid) return own;
    throw new StartError(
      `The database in ${data} belongs to the user with ID ${uid}. Start Runward as that user or as root.`,
    );
  }
  return uid === 0 ? chooseDatabaseUser() : { uid, gid, needsSwitch: true };
}

async function openClusterFolder(dataDir: string, user: DatabaseUser, log: (line: string) => void): Promise<string> {
  const base = join(dataDir, CLUSTER_LINK_NAME);
  const resolvedBase = await realpath(base).catch(() => undefined);
  if (resolvedBase === undefined) {
    if (await lstat(base).catch(() => undefined))
      throw new StartError(`${base} links to a folder that no longer exists. Restore the folder, or remove the link.`);
    if (user.needsSwitch && !(await grantGroupAccess(user, dataDir))) {
      const outside = join(SYSTEM_DATA_FOLDER, `postgres-${randomBytes(4).toString('hex')}`);
      await mkdir(outside, { recursive: true });
      await chmod(SYSTEM_DATA_FOLDER, 0o755);
      await symlink(outside, base);
      log(`The database is stored in ${outside}, because its user cannot enter ${dataDir}; ${base} links to it.`);
    } else {
      await mkdir(base, { mode: user.needsSwitch ? 0o755 : 0o700 });
    }
  } else if (user.needsSwitch && !(await canEnter(user, resolvedBase)) && !(await grantGroupAccess(user, dataDir))) {
    throw new StartError(
      `The user with ID ${user.uid} runs the database and cannot enter ${resolvedBase}. Allow access to the folders above it.`,
    );
  }
  const realBase = await realpath(base);
  if ((await lstat(base)).isSymbolicLink()) await claimLinkedFolder(dataDir, realBase);
  // A strict umask would otherwise exclude the database user.
  await chmod(realBase, user.needsSwitch ? 0o755 : 0o700);
  return realBase;
}

/**
 * Prevents two owners of one database: a copied data folder may contain only the link, and starting from it would take
 * over the original's database.
 * @throws StartError when another data folder still links to the database and owns it
 */
async function claimLinkedFolder(dataDir: string, realBase: string): Promise<void> {
  const path = join(realBase, OWNER_FILE_NAME);
  const own = await realpath(dataDir);
  const owner = (await readFile(path, 'utf8').catch(() => own)).trim();
  const taken = owner !== own && (await realpath(join(owner, CLUSTER_LINK_NAME)).catch(() => undefined)) === realBase;
  if (taken)
    throw new StartError(
      `${join(dataDir, CLUSTER_LINK_NAME)} is a link to the database of ${owner}. Replace the link by a copy of ${realBase}, made while Runward was stopped.`,
    );
  await writeFile(path, `${own}\n`, { mode: 0o644 });
}

/**
 * Gives the group of the database user access to the data folder itself, never to a parent. Returns whether that is
 * enough.
 */
async function grantGroupAccess(user: DatabaseUser, dataDir: string): Promise<boolean> {
  if (await canEnter(user, dataDir)) return true;
  const { uid, mode } = await stat(dataDir);
  if (uid !== 0 || (mode & 0o077) !== 0) return false;
  await chown(dataDir, 0, user.gid);
  await chmod(dataDir, 0o710);
  if (await canEnter(user, dataDir)) return true;
  await chown(dataDir, 0, 0);
  await chmod(dataDir, mode & 0o7777);
  return false;
}

/**
 * Allows connections only over the socket, from this process's user, as owner or application role. The kernel verifies
 * the user. Rewritten at each start, because the rules may change with the version.
 */
async function writeAccessRules(cluster: PostgresCluster): Promise<void> {
  const name = getOwnUserName().replaceAll('"', '""');
  const roles = [OWNER_ROLE, APP_ROLE];
  // The files are outside of PostgreSQL's data folder. There, the database user could place a link, through which root
  // would write elsewhere.
  await writeFile(cluster.hbaFile, 'local all all peer map=app\n', { mode: 0o644 });
  await writeFile(cluster.identFile, roles.map((role) => `app "${name}" ${role}\n`).join(''), { mode: 0o644 });
  await chmod(cluster.hbaFile, 0o644);
  await chmod(cluster.identFile, 0o644);
}

/** Initializes the database files if none exist. An interrupted initialization starts again from the beginning. */
export async function initialiseCluster(cluster: PostgresCluster, binaries: PostgresBinaries): Promise<void> {
  const version = await readFile(join(cluster.data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    if (version.trim() === MAJOR_VERSION) return;
    throw new StartError(
      `${cluster.data} contains data of PostgreSQL ${version.trim()}, but this Runward includes version ${MAJOR_VERSION}. See docs/operations.md.`,
    );
  }
  const draftPath = `${cluster.data}.new`;
  await rm(draftPath, { recursive: true, force: true });
  await makePrivateFolder(draftPath, cluster.user);
  const { uid, gid } = cluster.user;
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8'];
  const access = ['-U', OWNER_ROLE, '--auth-local=peer', '--auth-host=reject', '--data-checksums'];
  try {
    await execFileAsync(join(binaries.folder, 'bin/initdb'), ['-D', draftPath, ...access, ...locale], {
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      ...(cluster.user.needsSwitch ? { uid, gid } : {}),
    });
  } catch (error) {
    await rm(draftPath, { recursive: true, force: true });
    throw new StartError(`The database cannot be created in ${cluster.data}: ${getLastLine(error)}`);
  }
  await rename(draftPath, cluster.data);
}

export async function makePrivateFolder(path: string, user: DatabaseUser): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (user.needsSwitch) await chown(path, user.uid, user.gid);
}

function getLastLine(error: unknown): string {
  const { stderr = '' } = error as { stderr?: string };
  if (/No space left|could not extend|wrote only/.test(stderr)) return 'the disk is full.';
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error:|FATAL|could not/.test(line)) ?? lines.at(-1) ?? describeSystemError(error);
}
