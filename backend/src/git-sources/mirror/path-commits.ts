import { GitError } from './git-error.js';
import type { GitCall } from './git-process.js';

/** Unverified. */
export interface CommitPerson {
  name: string;
  email: string;
}

/** Commit with its author, and with its committer if that is another person. */
export interface PathCommit {
  commit: string;
  people: CommitPerson[];
}

/** Reason why the list of commits is incomplete. */
export type PathCommitsFault = 'more' | 'rewritten' | 'timed_out' | 'unavailable';

/** Newest first. */
export interface PathCommits {
  commits: PathCommit[];
  fault: PathCommitsFault | null;
}

export interface PathRange {
  commit: string;
  /** Null: all commits of the files. */
  since: string | null;
  paths: readonly string[];
}

export const MAX_PATH_COMMITS = 500;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const READ_TIMEOUT_MS = 10_000;
/** Committers of commits that a forge creates on behalf of the author. */
const FORGE_EMAIL_ADDRESSES = new Set(['noreply@github.com']);

type RunGitCommand = (args: readonly string[], more: Partial<GitCall>) => Promise<Buffer>;

/**
 * Reads the commits that changed the files after `since`. If `since` is not an ancestor of the commit, content was
 * reverted or the history was rewritten. Then it reads all commits of the files and reports `rewritten`.
 */
export async function readPathCommits(read: RunGitCommand, { commit, since, paths }: PathRange): Promise<PathCommits> {
  try {
    const isRewritten = since !== null && !(await isAncestor(read, since, commit));
    const from = since === null || isRewritten ? [] : [`^${since}`];
    const output = await read(
      [
        ...['log', '-z', '--no-color', '--no-mailmap', '--no-notes', '--no-show-signature', '--encoding=UTF-8'],
        `--format=${['%H', '%an', '%ae', '%cn', '%ce'].join('%x00')}`,
        ...[`--max-count=${MAX_PATH_COMMITS + 1}`, commit, ...from, '--', ...paths],
      ],
      { timeoutMs: READ_TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES },
    );
    const commits = parsePathCommits(output);
    const more = commits.length > MAX_PATH_COMMITS;
    return { commits: commits.slice(0, MAX_PATH_COMMITS), fault: isRewritten ? 'rewritten' : more ? 'more' : null };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { commits: [], fault: error.code === 'timed_out' ? 'timed_out' : 'unavailable' };
  }
}

/** Also false if the mirror no longer has the earlier commit. */
async function isAncestor(read: RunGitCommand, earlier: string, commit: string): Promise<boolean> {
  const args = ['rev-list', '--max-count=1', earlier, `^${commit}`, '--'];
  return read(args, { timeoutMs: READ_TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES }).then(
    (output) => output.length === 0,
    (error: unknown) => {
      if (error instanceof GitError && error.code === 'failed') return false;
      throw error;
    },
  );
}

function parsePathCommits(output: Buffer): PathCommit[] {
  const fields = output.length === 0 ? [] : output.toString('utf8').replace(/\0$/, '').split('\0');
  const commits: PathCommit[] = [];
  for (let at = 0; at + 4 < fields.length; at += 5) {
    const [commit = '', name = '', email = '', committer = '', committerEmail = ''] = fields.slice(at, at + 5);
    const people = [{ name: toOneLine(name), email: toOneLine(email) }];
    const same = committerEmail.toLowerCase() === email.toLowerCase();
    if (!same && !FORGE_EMAIL_ADDRESSES.has(committerEmail.toLowerCase()))
      people.push({ name: toOneLine(committer), email: toOneLine(committerEmail) });
    commits.push({ commit, people });
  }
  return commits;
}

const toOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Surrogate}]/gu, '').slice(0, 200);
