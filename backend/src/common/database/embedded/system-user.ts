import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { describeSystemError, StartError } from '../start-error.js';

const execFileAsync = promisify(execFile);

/** User of the database processes. PostgreSQL refuses to run as root, so root uses a separate user. */
export interface DatabaseUser {
  readonly uid: number;
  readonly gid: number;
  readonly needsSwitch: boolean;
}

const DEDICATED_USER = 'runward';
const USERADD_NAME_TAKEN_EXIT_CODE = 9;

/** Folders of administration programs such as useradd. `su` on Debian omits them from PATH. */
const ADMIN_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export function getOwnUserName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new StartError(
      `The user ID ${process.getuid?.() ?? '?'} has no name on this system, but PostgreSQL needs one. Create the user, or set DATABASE_URL.`,
    );
  }
}

/** Returns the user for the database processes. Root creates the system user `runward` if it is missing. */
export async function chooseDatabaseUser(): Promise<DatabaseUser> {
  if (!isRoot()) return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, needsSwitch: false };
  const found = (await findDedicatedUser()) ?? (await createDedicatedUser());
  if (found.uid === 0)
    throw new StartError(`The user ${DEDICATED_USER} has the ID of root, which PostgreSQL refuses. Set DATABASE_URL.`);
  return { ...found, needsSwitch: true };
}

async function findDedicatedUser(): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { stdout } = await execFileAsync('getent', ['passwd', DEDICATED_USER]);
    const [, , uid, gid] = stdout.split(':');
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

async function createDedicatedUser(): Promise<{ uid: number; gid: number }> {
  try {
    const options = [
      '--system',
      '--user-group',
      '--no-create-home',
      '--home-dir',
      '/nonexistent',
      '--shell',
      '/usr/sbin/nologin',
    ];
    await execFileAsync('useradd', [...options, DEDICATED_USER], { env: addAdminFoldersToPath(process.env) });
  } catch (error) {
    const taken = (error as { code?: unknown }).code === USERADD_NAME_TAKEN_EXIT_CODE;
    // A concurrent first start created the user in the meantime: use that one.
    if (!taken)
      throw new StartError(
        `The system user ${DEDICATED_USER} cannot be created (${describeSystemError(error)}). Create it, or set DATABASE_URL.`,
      );
  }
  const user = await findDedicatedUser();
  if (user === undefined)
    throw new StartError(`The system user ${DEDICATED_USER} was created but cannot be found. Set DATABASE_URL.`);
  return user;
}

/**
 * Whether the user can enter the folder. The kernel decides, because file modes alone ignore groups, access lists and
 * mounts.
 */
export async function canEnter(user: DatabaseUser, folder: string): Promise<boolean> {
  try {
    await execFileAsync('/bin/sh', ['-c', 'cd -P -- "$1"', 'sh', folder], {
      cwd: '/',
      ...(user.needsSwitch ? { uid: user.uid, gid: user.gid } : {}),
    });
    return true;
  } catch {
    return false;
  }
}

export function addAdminFoldersToPath(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = (env.PATH ?? '').split(':').filter(Boolean);
  return { ...env, PATH: [...own, ...ADMIN_FOLDERS.filter((folder) => !own.includes(folder))].join(':') };
}
