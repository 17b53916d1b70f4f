import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { APP_ROLE } from '../connection.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { inWords, StartError } from '../start-error.js';
import { canEnter, type DatabaseUser, databaseUser, isRoot, ownUserName } from './system-user.js';

const run = promisify(execFile);

/** The folders and files of one embedded database. */
export interface Cluster {
  /** Holds the rest; belongs to the user that runs Runward. */
  readonly base: string;
  /** PostgreSQL's own data folder; belongs, like the sockets' folder, to `user`. */
  readonly data: string;
  readonly hbaFile: string;
  readonly identFile: string;
  readonly log: string;
  readonly user: DatabaseUser;
}

/** Owns the embedded database and what is in it. */
export const OWNER_ROLE = 'postgres';

/** PostgreSQL's own log, beside its data. */
export const LOG_NAME = 'server.log';

const LINK_NAME = 'postgres';
const MAJOR_VERSION = '18';
/** Where the database of a data folder lives that the database's user can't reach. */
const OUTSIDE = '/var/lib/runward';
/** In a folder that `postgres` links to: path of the data folder that it belongs to. */
const OWNER_FILE = 'data-folder';

/** Where the database of that data folder is, if it was ever set up. */
export async function locateCluster(dataDir: string): Promise<string | undefined> {
  return realpath(join(dataDir, LINK_NAME, 'data')).catch(() => undefined);
}

/** Finds or makes the folders around the database, and settles who may connect. */
export async function openCluster(dataDir: string, log: (line: string) => void): Promise<Cluster> {
  try {
    const user = await ownerOf(await locateCluster(dataDir));
    const base = await openBase(dataDir, user, log);
    const cluster: Cluster = {
      base,
      data: join(base, 'data'),
      hbaFile: join(base, 'pg_hba.conf'),
      identFile: join(base, 'pg_ident.conf'),
      log: join(base, LOG_NAME),
      user,
    };
    await writeAccessRules(cluster);
    return cluster;
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The data folder ${dataDir} can't be used (${inWords(error)}).`);
  }
}

/** As root an existing database keeps the user that it belongs to; without root it must be one's own. */
async function ownerOf(data: string | undefined): Promise<DatabaseUser> {
  if (data === undefined) return databaseUser();
  const { uid, gid } = await stat(data);
  if (!isRoot()) {
    const own = await databaseUser();
    if (own.uid === uid) return own;
    throw new StartError(
      `The database in ${data} belongs to the user with id ${uid}: start Runward as that user or as root.`,
    );
  }
  return uid === 0 ? databaseUser() : { uid, gid, switch: true };
}

async function openBase(dataDir: string, user: DatabaseUser, log: (line: string) => void): Promise<string> {
  const base = join(dataDir, LINK_NAME);
  const existing = await realpath(base).catch(() => undefined);
  if (existing === undefined) {
    if (await lstat(base).catch(() => undefined))
      throw new StartError(`${base} links to a folder that is gone: bring it back, or remove the link.`);
    if (user.switch && !(await letIn(user, dataDir))) {
      const outside = join(OUTSIDE, `postgres-${randomBytes(4).toString('hex')}`);
      await mkdir(outside, { recursive: true });
      await chmod(OUTSIDE, 0o755);
      await symlink(outside, base);
      log(`The database is kept in ${outside}, because its user can't enter ${dataDir}; ${base} links to it.`);
    } else {
      await mkdir(base, { mode: user.switch ? 0o755 : 0o700 });
    }
  } else if (user.switch && !(await canEnter(user, existing)) && !(await letIn(user, dataDir))) {
    throw new StartError(
      `The user with id ${user.uid} runs the database and can't enter ${existing}: open the folders above it.`,
    );
  }
  const real = await realpath(base);
  if ((await lstat(base)).isSymbolicLink()) await claimLinked(dataDir, real);
  // A shell with a strict umask must not shut the database's user out.
  await chmod(real, user.switch ? 0o755 : 0o700);
  return real;
}

/**
 * A copied data folder can hold only the link to the database: its start would take over the database of the original.
 * @throws StartError another data folder that still links there owns it
 */
async function claimLinked(dataDir: string, real: string): Promise<void> {
  const path = join(real, OWNER_FILE);
  const own = await realpath(dataDir);
  const owner = (await readFile(path, 'utf8').catch(() => own)).trim();
  const taken = owner !== own && (await realpath(join(owner, LINK_NAME)).catch(() => undefined)) === real;
  if (taken)
    throw new StartError(
      `${join(dataDir, LINK_NAME)} is a link to the database of ${owner}: replace the link by a copy of ${real}, made while Runward was stopped.`,
    );
  await writeFile(path, `${own}\n`, { mode: 0o644 });
}

/** Opens the data folder itself (never one above it) to the database's user, by group, when that is enough. */
async function letIn(user: DatabaseUser, dataDir: string): Promise<boolean> {
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
 * Only this process' user may connect, over the socket, and as two roles only: the owner and the application. The kernel
 * vouches for who it is. Written at each start, so that the rules of an earlier version don't stay.
 */
async function writeAccessRules(cluster: Cluster): Promise<void> {
  const name = ownUserName().replaceAll('"', '""');
  const roles = [OWNER_ROLE, APP_ROLE];
  // They stand outside PostgreSQL's own folder: root must not write where a less trusted user could plant a link.
  await writeFile(cluster.hbaFile, 'local all all peer map=app\n', { mode: 0o644 });
  await writeFile(cluster.identFile, roles.map((role) => `app "${name}" ${role}\n`).join(''), { mode: 0o644 });
  await chmod(cluster.hbaFile, 0o644);
  await chmod(cluster.identFile, 0o644);
}

/** Makes the database's files on the first start; a set-up that was cut short is begun anew. */
export async function initialise(cluster: Cluster, binaries: PostgresBinaries): Promise<void> {
  const version = await readFile(join(cluster.data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version !== undefined) {
    if (version.trim() === MAJOR_VERSION) return;
    throw new StartError(
      `${cluster.data} holds data of PostgreSQL ${version.trim()}, this Runward brings ${MAJOR_VERSION}: see docs/operations.md.`,
    );
  }
  const draft = `${cluster.data}.new`;
  await rm(draft, { recursive: true, force: true });
  await makePrivateFolder(draft, cluster.user);
  const { uid, gid } = cluster.user;
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--encoding=UTF8'];
  const access = ['-U', OWNER_ROLE, '--auth-local=peer', '--auth-host=reject', '--data-checksums'];
  try {
    await run(join(binaries.folder, 'bin/initdb'), ['-D', draft, ...access, ...locale], {
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      ...(cluster.user.switch ? { uid, gid } : {}),
    });
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw new StartError(`The database can't be set up in ${cluster.data}: ${lastWords(error)}`);
  }
  await rename(draft, cluster.data);
}

/** A folder that only the database's user can enter. */
export async function makePrivateFolder(path: string, user: DatabaseUser): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (user.switch) await chown(path, user.uid, user.gid);
}

function lastWords(error: unknown): string {
  const { stderr = '' } = error as { stderr?: string };
  if (/No space left|could not extend|wrote only/.test(stderr)) return 'the disk is full.';
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.find((line) => /error:|FATAL|could not/.test(line)) ?? lines.at(-1) ?? inWords(error);
}
