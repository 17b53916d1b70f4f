import { Injectable } from '@nestjs/common';
import { isUtf8 } from 'node:buffer';
import { GitError } from './git-error.js';
import { type MirrorId, Mirrors } from './mirrors.js';
import { type PathCommits, type PathRange, readPathCommits } from './path-commits.js';

export const ENTRY_TYPES = ['folder', 'file', 'executable', 'symlink', 'submodule'] as const;

export interface TreeEntry {
  name: string;
  type: (typeof ENTRY_TYPES)[number];
  /** Size of a file in bytes; null: not a file. */
  size: number | null;
  object: string;
}

export interface Commit {
  commit: string;
  authorName: string;
  authorEmail: string;
  authoredAt: string;
  committedAt: string;
  subject: string;
}

/** `missing`: nothing is at the path; `other`: an object of another type is there. */
export type PathLookup<T> = T | 'missing' | 'other';

const MAX_ENTRIES = 10_000;
const MAX_TREE_BYTES = 8 * 1024 * 1024;
const MAX_OBJECT_HEADER_BYTES = 100;
/** Latest commits that one call reads to find the authors of files. */
const COMMIT_PAGE_SIZE = 200;
/** Maximum size of a folder's file list, in bytes. A source has at most 100,000 files. */
const MAX_FILE_LIST_BYTES = 32 * 1024 * 1024;

/**
 * Reads mirrors by commit ID. A mirror has no work tree, so only committed objects can be read. Symbolic links and
 * submodules are listed but not followed.
 */
@Injectable()
export class MirrorReader {
  constructor(private readonly mirrors: Mirrors) {}

  /**
   * Lists a folder, sorted by name. Entries whose names contain control characters or are not UTF-8 are only counted.
   * @param path empty: the root
   * @throws GitError
   */
  async readFolder(
    mirror: MirrorId,
    commit: string,
    path: string,
  ): Promise<PathLookup<{ entries: TreeEntry[]; leftOut: number }>> {
    if (path !== '') {
      const entry = await this.findEntry(mirror, commit, path);
      if (!entry || entry.type !== 'folder') return entry ? 'other' : 'missing';
    }
    const output = await this.mirrors.runReadCommand(
      mirror,
      ['ls-tree', '-z', '-l', '--full-tree', `${commit}:${path}`],
      {
        maxBytes: MAX_TREE_BYTES,
        cut: true,
      },
    );
    const lines = splitLines(output);
    const read = lines.slice(0, MAX_ENTRIES).map(parseTreeEntry);
    const entries = read.filter((entry) => entry !== null);
    return { entries: entries.sort(compareByName), leftOut: lines.length - entries.length };
  }

  /**
   * Lists everything below a folder except folders, sorted by path. `name` is relative to the folder.
   * @param path empty: the root
   * @throws GitError if the list is larger than the limit
   */
  async listFilesBelow(
    mirror: MirrorId,
    commit: string,
    path: string,
  ): Promise<PathLookup<(TreeEntry & { path: string })[]>> {
    if (path !== '') {
      const entry = await this.findEntry(mirror, commit, path);
      if (!entry || entry.type !== 'folder') return entry ? 'other' : 'missing';
    }
    const output = await this.mirrors.runReadCommand(
      mirror,
      ['ls-tree', '-r', '-z', '-l', '--full-tree', `${commit}:${path}`],
      {
        maxBytes: MAX_FILE_LIST_BYTES,
      },
    );
    const entries = splitLines(output).flatMap((line) => parseTreeEntry(line) ?? []);
    return entries
      .map((entry) => ({ ...entry, path: path === '' ? entry.name : `${path}/${entry.name}` }))
      .sort(compareByName);
  }

  /** Reads the content of files from `listFilesBelow` with one git process. Returns it by object ID. @throws GitError */
  async readBlobs(mirror: MirrorId, entries: readonly TreeEntry[]): Promise<Map<string, Buffer>> {
    const objects = [...new Set(entries.map(({ object }) => object))];
    if (objects.length === 0) return new Map();
    const bytes = entries.reduce((sum, { size }) => sum + (size ?? 0), 0);
    const output = await this.mirrors.runReadCommand(mirror, ['cat-file', '--batch'], {
      stdin: `${objects.join('\n')}\n`,
      maxBytes: bytes + objects.length * MAX_OBJECT_HEADER_BYTES,
    });
    const found = new Map<string, Buffer>();
    for (let at = 0; at < output.length; ) {
      const end = output.indexOf(10, at);
      const [object = '', , size = ''] = output.subarray(at, end).toString('latin1').split(' ');
      const from = end + 1;
      found.set(object, output.subarray(from, from + Number(size)));
      at = from + Number(size) + 1;
    }
    return found;
  }

  /**
   * Returns the email address of the author of the last commit that changed each file. One call for the latest commits
   * finds most of them. Each remaining file needs one further call.
   * @throws GitError; the reason of `signal`
   */
  async readLastAuthors(
    mirror: MirrorId,
    commit: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    if (paths.length === 0) return found;
    const pending = new Set(paths);
    // For a merge, `-c` lists only files that differ from all parents.
    const log = ['log', '-z', '-c', '--name-only', '--no-color', '--no-mailmap', '--no-notes', '--no-show-signature'];
    const output = await this.mirrors.runReadCommand(
      mirror,
      [...log, '--encoding=UTF-8', '--format=%x01%ae', `--max-count=${COMMIT_PAGE_SIZE}`, commit, '--', ...paths],
      { maxBytes: MAX_TREE_BYTES, cut: true },
    );
    let author = '';
    for (const part of output.toString('utf8').split('\0')) {
      const text = part.replace(/^\n/, '');
      if (text.startsWith('\x01')) author = toOneLine(text.slice(1));
      else if (pending.has(text) && !found.has(text)) found.set(text, author);
    }
    for (const path of paths) {
      if (found.has(path)) continue;
      signal.throwIfAborted();
      const [last] = await this.listCommitsOf(mirror, commit, path, { skip: 0, limit: 1 });
      if (last) found.set(path, last.authorEmail);
    }
    return found;
  }

  /** @throws GitError `too_large` if the file has more than `limit` bytes */
  async readBlobAt(
    mirror: MirrorId,
    commit: string,
    path: string,
    limit: number,
  ): Promise<PathLookup<{ content: Buffer; executable: boolean }>> {
    const entry = await this.findEntry(mirror, commit, path);
    if (!entry) return 'missing';
    if (entry.size === null || entry.type === 'symlink') return 'other';
    if (entry.size > limit)
      throw new GitError('too_large', `${path} has ${entry.size} bytes; files of at most ${limit} bytes are read.`);
    const content = await this.mirrors.runReadCommand(mirror, ['cat-file', 'blob', entry.object], { maxBytes: limit });
    return { content, executable: entry.type === 'executable' };
  }

  /**
   * Returns the commit and its ancestors, newest first, for all paths or one path.
   * @param planFolders excludes commits that changed only plan files in these folders
   */
  async listCommitsOf(
    mirror: MirrorId,
    commit: string,
    path: string | null,
    { skip, limit, planFolders = [] }: { skip: number; limit: number; planFolders?: readonly string[] },
  ): Promise<Commit[]> {
    const output = await this.mirrors.runReadCommand(
      mirror,
      [
        '--no-literal-pathspecs',
        ...['log', '-z', '--no-color', '--no-mailmap', '--no-notes', '--no-show-signature', '--encoding=UTF-8'],
        `--format=${['%H', '%an', '%ae', '%aI', '%cI', '%s'].join('%x00')}`,
        `--skip=${skip}`,
        `--max-count=${limit}`,
        commit,
        '--',
        ...(path === null ? [] : [`:(top,literal)${path}`]),
        ...planFolders.flatMap((folder) => ['yaml', 'yml'].map((ending) => toExcludePattern(folder, ending))),
      ],
      { maxBytes: MAX_TREE_BYTES },
    );
    const fields = output.length === 0 ? [] : output.toString('utf8').replace(/\0$/, '').split('\0');
    const commits: Commit[] = [];
    for (let at = 0; at + 5 < fields.length; at += 6) {
      const [found = '', authorName = '', authorEmail = '', authoredAt = '', committedAt = '', subject = ''] =
        fields.slice(at, at + 6);
      commits.push({
        commit: found,
        authorName: toOneLine(authorName),
        authorEmail: toOneLine(authorEmail),
        authoredAt: toIsoTime(authoredAt),
        committedAt: toIsoTime(committedAt),
        subject: toOneLine(subject),
      });
    }
    return commits;
  }

  readCommitsOfPaths(mirror: MirrorId, range: PathRange): Promise<PathCommits> {
    return readPathCommits((args, more) => this.mirrors.runReadCommand(mirror, args, more), range);
  }

  private async findEntry(mirror: MirrorId, commit: string, path: string): Promise<TreeEntry | null> {
    const output = await this.mirrors.runReadCommand(mirror, [
      'ls-tree',
      '-z',
      '-l',
      '--full-tree',
      commit,
      '--',
      path,
    ]);
    const [line] = splitLines(output);
    return line ? parseTreeEntry(line) : null;
  }
}

/** Returns a pathspec that excludes files with this ending in a folder and its subfolders. */
const toExcludePattern = (folder: string, ending: string): string => {
  const escapedFolder = folder.replaceAll(/[*?[\]\\]/g, '\\$&');
  return `:(top,exclude,glob,icase)${folder === '' ? '' : `${escapedFolder}/`}**/*.${ending}`;
};

function splitLines(output: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0; ; ) {
    const end = output.indexOf(0, from);
    if (end < 0) return lines;
    lines.push(output.subarray(from, end));
    from = end + 1;
  }
}

const ENTRY_TYPE_BY_MODE: Readonly<Record<string, TreeEntry['type']>> = {
  '040000': 'folder',
  '100644': 'file',
  '100664': 'file',
  '100755': 'executable',
  '120000': 'symlink',
  '160000': 'submodule',
};

/** Null for unsupported types and names. */
function parseTreeEntry(line: Buffer): TreeEntry | null {
  const tab = line.indexOf(9);
  const [mode = '', , object = '', size = '-'] = line.subarray(0, tab).toString('latin1').split(/ +/);
  const name = line.subarray(tab + 1);
  const type = ENTRY_TYPE_BY_MODE[mode];
  if (type === undefined || !isUtf8(name)) return null;
  const text = name.toString('utf8');
  if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text)) return null;
  return { name: text, type, size: size === '-' ? null : Number(size), object };
}

const compareByName = ({ name: one }: TreeEntry, { name: other }: TreeEntry) =>
  one < other ? -1 : one > other ? 1 : 0;

const toOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Surrogate}]/gu, '').slice(0, 500);

/** Returns the Unix epoch for invalid dates and for years outside 0 to 9999. */
function toIsoTime(text: string): string {
  const at = new Date(text);
  const year = at.getUTCFullYear();
  return Number.isNaN(year) || year < 0 || year > 9999 ? new Date(0).toISOString() : at.toISOString();
}
