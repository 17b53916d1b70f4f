import { isUtf8 } from 'node:buffer';
import { Injectable } from '@nestjs/common';
import type { LocatedCommit } from '../../git-sources/git-content.js';
import type { TreeEntry } from '../../git-sources/mirror/mirror-reader.js';
import { isPlanFile } from '../../git-sources/records/plan-folders.js';
import { GitSourceReader } from '../../git-sources/git-source.reader.js';
import { findContentPointer, describePointer } from '../../library/content-pointer.js';
import type { FaultCode } from '../../common/errors/fault-codes.js';

/** Limits of one source: number of files, bytes of one file, bytes of all files. */
export const MAX_FILES = 500;
export const MAX_FILE_BYTES = 256 * 1024;
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
/** Time limit for reading the files of a commit, in ms. */
const READ_MS = 240_000;

export interface FolderFile {
  folderId: string;
  path: string;
  /** Null: the file is not text, see `fault`. */
  text: string | null;
  fault: { code: FaultCode; message: string } | null;
  /** Email address of the last commit's author; null: not looked up. */
  authorEmail: string | null;
}

export interface FolderContent {
  files: FolderFile[];
  /** All paths, including files that were not read. */
  present: ReadonlySet<string>;
  leftOut: number;
  /** Plan folders whose path is not a folder in the commit. */
  missing: { folderId: string; path: string; what: 'missing' | 'other' }[];
}

@Injectable()
export class FolderFiles {
  constructor(private readonly git: GitSourceReader) {}

  /**
   * Waits for its turn, and for the remote if the commit is not local. Must not be called within a transaction.
   * @param known texts by path whose author is already known
   * @throws Problem 409 as `GitContent.with`
   */
  readFiles(
    at: LocatedCommit,
    folders: readonly { id: string; path: string }[],
    known: ReadonlyMap<string, string | null>,
    signal: AbortSignal,
  ): Promise<FolderContent> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]);
    return this.git.withMirrorAt(at, async (mirror, reader) => {
      const content = { files: [] as FolderFile[], present: new Set<string>(), leftOut: 0 };
      const missing: FolderContent['missing'] = [];
      const sound: { file: FolderFile; entry: TreeEntry }[] = [];
      let bytes = 0;
      for (const { id: folderId, path: folder } of folders) {
        deadline.throwIfAborted();
        const found = await reader.listFilesBelow(mirror, at.commit, folder);
        if (typeof found === 'string') {
          missing.push({ folderId, path: folder, what: found });
          continue;
        }
        for (const entry of found.filter(({ path }) => isPlanFile(path))) {
          const { path, size } = entry;
          content.present.add(path);
          const fault = findFileFault(entry);
          if (content.files.length >= MAX_FILES || (!fault && bytes + (size ?? 0) > MAX_TOTAL_BYTES)) {
            content.leftOut += 1;
            continue;
          }
          const file: FolderFile = { folderId, path, text: null, fault, authorEmail: null };
          content.files.push(file);
          if (fault) continue;
          bytes += size ?? 0;
          sound.push({ file, entry });
        }
      }
      const blobs = await reader.readBlobs(
        mirror,
        sound.map(({ entry }) => entry),
      );
      for (const { file, entry } of sound) setFileText(file, blobs.get(entry.object));
      const fresh = content.files.filter(({ path, text }) => text !== null && known.get(path) !== text);
      const paths = fresh.map(({ path }) => path);
      const authors = await reader.readLastAuthors(mirror, at.commit, paths, deadline);
      for (const file of fresh) file.authorEmail = authors.get(file.path) ?? null;
      return { ...content, missing };
    });
  }
}

function setFileText(file: FolderFile, blob: Buffer | undefined): void {
  const pointer = blob ? findContentPointer(blob) : null;
  if (pointer) {
    file.fault = { code: 'content_missing', message: describePointer('The file', pointer) };
    return;
  }
  if (blob && isUtf8(blob)) {
    file.text = blob.toString('utf8');
    return;
  }
  const message = 'The file is not UTF-8 text. Save it as UTF-8, or remove it from the folder.';
  file.fault = { code: 'forbidden_character', message };
}

function findFileFault({ type, size }: { type: string; size: number | null }): FolderFile['fault'] {
  if (type !== 'file' && type !== 'executable') {
    const message = 'This is a symbolic link or a submodule, which are never followed. Put the file itself here.';
    return { code: 'invalid_path', message };
  }
  if ((size ?? 0) <= MAX_FILE_BYTES) return null;
  return { code: 'too_large', message: `The file has ${size} bytes; a plan has at most ${MAX_FILE_BYTES}.` };
}
