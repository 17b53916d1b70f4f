import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { extract } from 'tar-stream';
import { MIGRATIONS } from '../common/database/migrations/all-migrations.js';
import { describeSystemError, StartError } from '../common/database/start-error.js';
import { PRODUCT_VERSION } from '../common/product-version.js';
import {
  ARCHIVE_FORMAT,
  type ArchiveHeader,
  type ArchiveManifest,
  buildTail,
  HEADER_ENTRY,
  MANIFEST_ENTRY,
  sha256,
  TAIL_BYTES,
} from './archive-format.js';

/** Largest entry that is read into memory, in bytes. The manifest has about 200 bytes per chunk and per tenant. */
const MAX_ENTRY_BYTES = 256 * 1024 * 1024;

export interface ArchiveEntry {
  name: string;
  content: Buffer;
}

/**
 * Reads the whole archive and compares all checksums. Changes nothing.
 * @throws StartError with one line: no backup, damaged, incomplete, or of a newer version
 */
export async function checkArchive(file: string): Promise<ArchiveManifest> {
  const size = await readSize(file);
  await requireBackup(file, size);
  await requireChecksum(file, size);
  const found: ArchiveManifest['entries'] = [];
  let manifest: ArchiveManifest | undefined;
  for await (const { name, content } of readEntries(file)) {
    if (name === HEADER_ENTRY) requireReadableHeader(file, JSON.parse(content.toString()) as ArchiveHeader);
    if (name === MANIFEST_ENTRY) manifest = JSON.parse(content.toString()) as ArchiveManifest;
    else if (!manifest) found.push({ name, bytes: content.length, sha256: sha256(content) });
  }
  if (!manifest || JSON.stringify(manifest.entries) !== JSON.stringify(found))
    throw new StartError(`${file} is damaged: its entries are not those of its manifest. Use another backup.`);
  return manifest;
}

/** Entries in order. Does not compare checksums. @throws StartError if the file is no tar file */
export async function* readEntries(file: string): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  const source = createReadStream(file, { highWaterMark: 1024 * 1024 });
  source.on('error', (error) => tar.destroy(error));
  source.pipe(tar);
  try {
    for await (const entry of tar) {
      const { name, size = 0 } = entry.header;
      if (size > MAX_ENTRY_BYTES)
        throw new StartError(`${file} is not a valid backup: its entry ${name} is too large.`);
      const parts: Buffer[] = [];
      for await (const part of entry as unknown as Readable) parts.push(part as Buffer);
      yield { name, content: Buffer.concat(parts) };
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${file} is damaged (${describeSystemError(error)}). Use another backup.`);
  } finally {
    source.destroy();
    tar.destroy();
  }
}

async function readSize(file: string): Promise<number> {
  try {
    const handle = await open(file, 'r');
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new StartError(`${file} is not a file.`);
      return stats.size;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`The backup ${file} cannot be read (${describeSystemError(error)}).`);
  }
}

async function readPart(file: string, start: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of createReadStream(file, { start, end: start + length - 1 })) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

async function requireBackup(file: string, size: number): Promise<void> {
  const name = `${HEADER_ENTRY}\0`;
  if (size < name.length || (await readPart(file, 0, name.length)).toString('latin1') !== name)
    throw new StartError(`${file} is not a backup of Runward.`);
}

async function requireChecksum(file: string, size: number): Promise<void> {
  const checksum = createHash('sha256');
  const covered = size - TAIL_BYTES;
  if (covered > 0) {
    for await (const part of createReadStream(file, { end: covered - 1, highWaterMark: 1024 * 1024 }))
      checksum.update(part as Buffer);
    const tail = await readPart(file, covered, TAIL_BYTES);
    if (tail.equals(await buildTail(checksum.digest('hex')))) return;
  }
  throw new StartError(`${file} is damaged or incomplete: its checksum does not match. Use another backup.`);
}

function requireReadableHeader(file: string, header: ArchiveHeader): void {
  const newer = (what: string) =>
    new StartError(
      `${file} is a backup of Runward ${header.runward}, which is newer than this version (${PRODUCT_VERSION}): ${what}. Install that version or a later one, then restore.`,
    );
  if (header.format > ARCHIVE_FORMAT) throw newer(`it has format ${header.format} (this is ${ARCHIVE_FORMAT})`);
  const known = new Set(MIGRATIONS.map(({ name }) => name));
  const unknown = header.migrations.find((name) => !known.has(name));
  if (unknown !== undefined) throw newer(`it has the migration ${unknown}`);
}
