import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { withAdminFolders } from './admin-path.js';
import { inWords, StartError } from '../start-error.js';

const run = promisify(execFile);

/** Who runs the database's processes. PostgreSQL refuses root, so root hands them to a user of their own. */
export interface DatabaseUser {
  readonly uid: number;
  readonly gid: number;
  /** Set when the processes must change to this user. */
  readonly switch: boolean;
}

const DEDICATED_USER = 'runward';
const USERADD_NAME_TAKEN = 9;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The name under which the kernel's peer check will see this process. */
export function ownUserName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new StartError(
      `The user id ${process.getuid?.() ?? '?'} has no name on this system, which PostgreSQL needs: give it one, or set DATABASE_URL.`,
    );
  }
}

/** The user for the database's processes; as root creates the system user `runward` where it is missing. */
export async function databaseUser(): Promise<DatabaseUser> {
  if (!isRoot()) return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, switch: false };
  const found = (await lookUp()) ?? (await create());
  if (found.uid === 0)
    throw new StartError(`The user ${DEDICATED_USER} has root's id, which PostgreSQL refuses: set DATABASE_URL.`);
  return { ...found, switch: true };
}

async function lookUp(): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const { stdout } = await run('getent', ['passwd', DEDICATED_USER]);
    const [, , uid, gid] = stdout.split(':');
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

async function create(): Promise<{ uid: number; gid: number }> {
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
    await run('useradd', [...options, DEDICATED_USER], { env: withAdminFolders(process.env) });
  } catch (error) {
    const taken = (error as { code?: unknown }).code === USERADD_NAME_TAKEN;
    // Two first starts at once: the other one's user serves both.
    if (!taken)
      throw new StartError(
        `The system user ${DEDICATED_USER} can't be created (${inWords(error)}): create it, or set DATABASE_URL.`,
      );
  }
  const user = await lookUp();
  if (user === undefined)
    throw new StartError(`The system user ${DEDICATED_USER} can't be found after its creation: set DATABASE_URL.`);
  return user;
}

/** Whether that user can enter the folder, asked of the kernel: modes alone don't tell (groups, access lists, mounts). */
export async function canEnter(user: DatabaseUser, folder: string): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', 'cd -P -- "$1"', 'sh', folder], {
      cwd: '/',
      ...(user.switch ? { uid: user.uid, gid: user.gid } : {}),
    });
    return true;
  } catch {
    return false;
  }
}
