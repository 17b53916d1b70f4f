/** Detects outdated results by hashing the content of their sources. Does not compare times. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/**
 * Hashes the names and contents of files, whose paths are relative to the checkout. A missing file changes the hash.
 */
export function fingerprint(files, ...more) {
  const hash = createHash('sha256').update(more.join('\n'));
  for (const file of files) {
    const absolute = path.join(root, file);
    hash.update(`\0${file}\0`).update(existsSync(absolute) ? readFileSync(absolute) : 'missing');
  }
  return hash.digest('hex');
}

/** Returns the files directly in a folder of the checkout, sorted. */
export function filesIn(folder) {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(folder, entry.name));
  return files.sort();
}

/** Returns all files under a folder of the checkout, sorted. Paths are relative to the checkout. */
export function filesUnder(folder, isIncluded = () => true) {
  const absolute = path.join(root, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
    .filter(isIncluded)
    .sort();
}

export const readStamp = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

export function writeStamp(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, value);
}

export const removeStamp = (file) => rmSync(file, { force: true });
