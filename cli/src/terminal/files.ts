import { randomBytes } from 'node:crypto';
import { access, appendFile, constants, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { usage } from './failure.ts';
import type { Surroundings } from './surroundings.ts';

const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Reads a file, or standard input for `-`.
 * @param what subject of the error, such as "The variables"
 */
export async function readTextArgument(
  argument: string,
  what: string,
  { stdin, folder }: Surroundings,
): Promise<string> {
  if (argument === '-') {
    const text = await stdin.readAll();
    if (text.length > MAX_BYTES) throw usage(`${what} from standard input are larger than 8 MiB.`);
    return text;
  }
  const file = path.resolve(folder, argument);
  try {
    if ((await stat(file)).size > MAX_BYTES) throw usage(`${argument} is larger than 8 MiB.`);
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unusableFileFailure(argument, 'read', error);
  }
}

export async function writeFileAtomically(
  argument: string,
  { folder }: Surroundings,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const file = path.resolve(folder, argument);
  const fresh = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    // Pipes and devices cannot be replaced, so they are written in place.
    if (await isSpecialFile(file)) {
      for await (const piece of pieces) await appendFile(file, piece);
      return;
    }
    const handle = await open(fresh, 'wx', 0o666);
    try {
      for await (const piece of pieces) await handle.write(piece as string);
    } finally {
      await handle.close();
    }
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw unusableFileFailure(argument, 'written', error);
  }
}

export async function appendToFile(argument: string, { folder }: Surroundings, text: string): Promise<void> {
  try {
    await appendFile(path.resolve(folder, argument), text);
  } catch (error) {
    throw unusableFileFailure(argument, 'written', error);
  }
}

/**
 * Checks that a file can be created or changed, without doing so.
 * @throws Failure that says why not
 */
export async function requireWritable(
  argument: string,
  { folder }: Surroundings,
  how: 'append' | 'replace',
): Promise<void> {
  const file = path.resolve(folder, argument);
  try {
    const found = await stat(file).catch(() => null);
    if (found?.isDirectory()) throw Object.assign(new Error('folder'), { code: 'EISDIR', syscall: 'open' });
    // A file is replaced through a new one beside it.
    const needsFolder = found === null || (how === 'replace' && found.isFile());
    if (needsFolder) await access(path.dirname(file), constants.W_OK | constants.X_OK);
    else await access(file, constants.W_OK);
  } catch (error) {
    throw unusableFileFailure(argument, 'written', error);
  }
}

async function isSpecialFile(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  return found !== null && !found.isFile() && !found.isDirectory();
}

const FAULT_REASONS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'it is not permitted',
  EPERM: 'it is not permitted',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is no folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

/** Converts an error of the file system to a failure. Returns other errors unchanged. */
function unusableFileFailure(argument: string, verb: string, error: unknown): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (typeof code !== 'string' || syscall === undefined) return error;
  return usage(`${argument} cannot be ${verb}: ${FAULT_REASONS[code] ?? code}.`);
}
