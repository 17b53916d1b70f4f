import { createHash } from 'node:crypto';
import { Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { pack } from 'tar-stream';
import {
  type ArchivedTable,
  CHECKSUM_ENTRY,
  CHUNK_BYTES,
  chunkName,
  MANIFEST_ENTRY,
  sha256,
  tableKey,
  type TableContent,
  toChecksumText,
  toEntryHeader,
  type ArchiveManifest,
} from './archive-format.js';

const compress = promisify(zstdCompress);

/** Writes one archive to a stream. After an error, only `abort` may be called. */
export class ArchiveWriter {
  private readonly tar = pack();
  private readonly hash = createHash('sha256');
  private readonly entries: ArchiveManifest['entries'] = [];
  private readonly written: Promise<void>;
  /** Never resolves; rejects when the target fails. */
  private readonly failed: Promise<never>;
  private bytesWritten = 0;
  private bytesAdded = 0;
  private notifyHashed: () => void = () => undefined;

  constructor(target: Writable) {
    const count = new Transform({
      transform: (bytes: Buffer, _encoding, done) => {
        this.hash.update(bytes);
        this.bytesWritten += bytes.length;
        if (this.bytesWritten >= this.bytesAdded) this.notifyHashed();
        done(null, bytes);
      },
    });
    this.written = pipeline(this.tar, count, target);
    this.failed = this.written.then(() => new Promise<never>(() => undefined));
    this.failed.catch(() => undefined);
  }

  get bytes(): number {
    return this.bytesWritten;
  }

  async add(name: string, content: Buffer): Promise<void> {
    this.entries.push({ name, bytes: content.length, sha256: sha256(content) });
    await this.write(name, content);
  }

  /** @param lines `COPY` text of the table. @returns bytes and hash of the text */
  async addTable(
    position: number,
    table: ArchivedTable,
    lines: AsyncIterable<Buffer>,
  ): Promise<Omit<TableContent, 'rows'>> {
    const text = createHash('sha256');
    let [bytes, chunk, pending, parts] = [0, 0, 0, [] as Buffer[]];
    const flush = async () => {
      const content = Buffer.concat(parts);
      [pending, parts, chunk] = [0, [], chunk + 1];
      await this.add(chunkName(position, chunk, table), await compress(content));
    };
    for await (const part of lines) {
      text.update(part);
      bytes += part.length;
      pending += part.length;
      parts.push(part);
      if (pending >= CHUNK_BYTES) await flush();
    }
    if (pending > 0) await flush();
    return { table: tableKey(table), bytes, sha256: text.digest('hex') };
  }

  /** Adds the manifest and the checksum, and waits until the target has everything. */
  async finish(manifest: Omit<ArchiveManifest, 'entries'>): Promise<void> {
    const content: ArchiveManifest = { ...manifest, entries: this.entries };
    await this.write(MANIFEST_ENTRY, Buffer.from(`${JSON.stringify(content, null, 1)}\n`));
    await this.settle();
    const checksum = toChecksumText(this.hash.copy().digest('hex'));
    await this.write(CHECKSUM_ENTRY, Buffer.from(checksum));
    this.tar.finalize();
    await this.written;
  }

  abort(error: Error): void {
    this.tar.destroy(error);
  }

  private async write(name: string, content: Buffer): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      const entry = this.tar.entry(toEntryHeader(name, content.length), (error) => (error ? reject(error) : resolve()));
      entry.end(content);
    });
    await Promise.race([done, this.failed]);
    this.bytesAdded += 512 + Math.ceil(content.length / 512) * 512;
  }

  /** Waits until the hash covers all entries so far. */
  private async settle(): Promise<void> {
    if (this.bytesWritten >= this.bytesAdded) return;
    await Promise.race([new Promise<void>((resolve) => (this.notifyHashed = resolve)), this.failed]);
  }
}
