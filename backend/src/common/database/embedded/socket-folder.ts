import { createHash } from 'node:crypto';
import { chmod, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, makePrivateFolder } from './postgres-cluster.js';
import { inWords, reasonOf, StartError } from '../start-error.js';

/** No TCP: the number only names the socket's file. */
export const SOCKET_PORT = 5432;

/** Longest path of a Unix socket, in bytes, that the kernel's address structure holds. */
const LONGEST_SOCKET_PATH = 107;

/**
 * A folder for the socket that only the database's user can enter: beside the data where the path is short enough, else
 * under /tmp by a name made from the path. Whoever looks for a running server reads the folder from its postmaster.pid.
 */
export async function socketFolder(cluster: Cluster): Promise<string> {
  const beside = join(cluster.base, 'run');
  const folder = fits(beside) ? beside : join('/tmp', `runward-${cluster.user.uid}-${fingerprint(cluster.base)}`);
  try {
    await makePrivateFolder(folder, cluster.user);
  } catch (error) {
    if (reasonOf(error) !== 'EEXIST') throw new StartError(`The folder ${folder} can't be made (${inWords(error)}).`);
    const found = await lstat(folder);
    // /tmp is everybody's: a folder that someone else put there would hand them the database's door.
    if (!found.isDirectory() || found.uid !== cluster.user.uid) {
      throw new StartError(
        `${folder} belongs to someone else: remove it, or choose a shorter path with RUNWARD_DATA_DIR.`,
      );
    }
    await chmod(folder, 0o700);
  }
  return folder;
}

/** Removes what a killed server left: its lock would hold up the next one if the process number was given away since. */
export async function clearSocket(folder: string): Promise<void> {
  const socket = join(folder, `.s.PGSQL.${SOCKET_PORT}`);
  await Promise.all([rm(socket, { force: true }), rm(`${socket}.lock`, { force: true })]);
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) <= LONGEST_SOCKET_PATH;
}

function fingerprint(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}
