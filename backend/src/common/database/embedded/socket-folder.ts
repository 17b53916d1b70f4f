import { createHash } from 'node:crypto';
import { chmod, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type PostgresCluster, makePrivateFolder } from './postgres-cluster.js';
import { describeSystemError, toReason, StartError } from '../start-error.js';

/** Port number in the socket's file name. The server does not listen on TCP. */
export const SOCKET_PORT = 5432;

/** Longest path of a Unix socket in the kernel's address structure, in bytes. */
const MAX_SOCKET_PATH_LENGTH = 107;

/**
 * Returns a socket folder that only the database user can enter. It is beside the data; if that path is too long, it is
 * under /tmp, with a name derived from the path. Clients of a running server read the folder from postmaster.pid
 * instead.
 */
export async function prepareSocketFolder(cluster: PostgresCluster): Promise<string> {
  const runFolder = join(cluster.base, 'run');
  const folder = fitsSocketPath(runFolder)
    ? runFolder
    : join('/tmp', `runward-${cluster.user.uid}-${hashPath(cluster.base)}`);
  try {
    await makePrivateFolder(folder, cluster.user);
  } catch (error) {
    if (toReason(error) !== 'EEXIST')
      throw new StartError(`The folder ${folder} cannot be created (${describeSystemError(error)}).`);
    const found = await lstat(folder);
    // Any user can write to /tmp. A folder that belongs to another user would let that user control the socket.
    if (!found.isDirectory() || found.uid !== cluster.user.uid) {
      throw new StartError(
        `${folder} belongs to another user. Remove it, or choose a shorter path with RUNWARD_DATA_DIR.`,
      );
    }
    await chmod(folder, 0o700);
  }
  return folder;
}

/**
 * Removes the socket of a killed server. If a new process has the old number, the socket's lock file would prevent the
 * next start.
 */
export async function removeSocket(folder: string): Promise<void> {
  const socket = join(folder, `.s.PGSQL.${SOCKET_PORT}`);
  await Promise.all([rm(socket, { force: true }), rm(`${socket}.lock`, { force: true })]);
}

function fitsSocketPath(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH_LENGTH;
}

function hashPath(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}
