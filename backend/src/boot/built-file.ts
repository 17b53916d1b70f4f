import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CommandLineView } from './command-line.view.js';

const ROOT = resolve(import.meta.dirname, '../../..');

export interface BuiltFile extends CommandLineView {
  content: Buffer;
}

/** Reads a file that the build created, with version and checksum. The path is relative to the installation. */
export async function readBuiltFile(path: string): Promise<BuiltFile> {
  const [content, manifest] = await Promise.all([
    readFile(resolve(ROOT, path)),
    readFile(resolve(ROOT, 'package.json'), 'utf8'),
  ]);
  const { version: release } = JSON.parse(manifest) as { version: string };
  return { content, release, sha256: createHash('sha256').update(content).digest('hex'), bytes: content.length };
}
