import { createHash } from 'node:crypto';
import { pack } from 'tar-stream';

/** Raised by one with each change that older versions would misread. */
export const ARCHIVE_FORMAT = 1;

export const HEADER_ENTRY = 'runward-backup.json';
export const README_ENTRY = 'README.txt';
export const SEALED_KEY_ENTRY = 'master-key.sealed';
export const MANIFEST_ENTRY = 'manifest.json';
export const CHECKSUM_ENTRY = 'sha256';

/** Bytes of `COPY` text per tar entry, before compression. */
export const CHUNK_BYTES = 8 * 1024 * 1024;

/** A fixed time, so that the end of an archive depends on its content only. */
const ENTRY_TIME = new Date(0);

/** Bytes of the last entry with its header, and of the two empty blocks that end a tar file. */
export const TAIL_BYTES = 512 + 512 + 1024;

export interface ArchivedTable {
  schema: string;
  name: string;
  /** Order of the values in each line. */
  columns: string[];
  /** Null if the table is not a partition that a restore recreates. */
  partition: { parent: string; bound: string } | null;
}

export interface ArchivedSequence {
  schema: string;
  name: string;
  /** As text, because it may exceed 2^53. */
  value: string;
  called: boolean;
}

/** Content of the first entry: what a restore needs before the first row. */
export interface ArchiveHeader {
  format: number;
  runward: string;
  /** Time of the snapshot, ISO 8601. */
  createdAt: string;
  postgres: string;
  installation: { identity: string; incarnation: number };
  /** ID of the key that sealed the secrets of the database. */
  masterKeyId: string;
  /** Names of the migrations in the order in which they ran. */
  migrations: string[];
  tables: ArchivedTable[];
}

export interface TableContent {
  table: string;
  rows: number;
  /** Bytes of `COPY` text. */
  bytes: number;
  /** SHA-256 of the `COPY` text. */
  sha256: string;
}

/** Content of the last entry but one. */
export interface ArchiveManifest {
  header: ArchiveHeader;
  tables: TableContent[];
  sequences: ArchivedSequence[];
  /** Hash of the last audit entry by tenant, with its number. */
  auditHeads: { tenant: string; sequence: number; hash: string }[];
  /** SHA-256 of each earlier entry. */
  entries: { name: string; bytes: number; sha256: string }[];
}

export const tableKey = ({ schema, name }: Pick<ArchivedTable, 'schema' | 'name'>): string => `${schema}.${name}`;

/** @param table position in the header, from 0. @param chunk number from 1 */
export const chunkName = (table: number, chunk: number, { schema, name }: ArchivedTable): string =>
  `tables/${String(table + 1).padStart(4, '0')}-${schema}.${name}/${String(chunk).padStart(6, '0')}.copy.zst`;

/** Position of the table in the header; undefined: the entry is no chunk. */
export function readChunkName(entry: string): number | undefined {
  const found = /^tables\/(\d{4,})-[^/]+\/\d{6,}\.copy\.zst$/.exec(entry);
  return found?.[1] === undefined ? undefined : Number(found[1]) - 1;
}

export const toEntryHeader = (name: string, size: number) => ({ name, size, mode: 0o600, mtime: ENTRY_TIME });

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const toChecksumText = (checksum: string): string => `${checksum}\n`;

/** Returns the bytes that end an archive whose earlier bytes have this SHA-256. */
export async function buildTail(checksum: string): Promise<Buffer> {
  const tar = pack();
  const text = toChecksumText(checksum);
  tar.entry(toEntryHeader(CHECKSUM_ENTRY, text.length), text);
  tar.finalize();
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(part);
  return Buffer.concat(parts);
}

export const README_TEXT = `Backup of a Runward installation.

Format: docs/backup-format.md of the version that is named in ${HEADER_ENTRY}.
Verify: npm run admin -- backup verify FILE
Restore: npm run admin -- backup restore FILE

The secrets in this backup are encrypted with the master key of the installation. Unless this archive has an entry
${SEALED_KEY_ENTRY}, it does not contain that key. Keep the master key apart from the backups: without it, stored SSH keys and
secrets cannot be decrypted.
`;
