import { conflict } from '../../../../common/errors/problem.js';
import type { PathCommits } from '../../../../git-sources/mirror/path-commits.js';
import { type CommitRange, toCommitRangeKey } from '../../../approval/authors/commit-authors.js';
import { ContentsNotReadError } from './read-contents.js';

const MAX_READ_ROUNDS = 5;

/** Commits read from git sources for one start, between transactions. Like `ReadContents`, but for commits. */
export class ReadCommits {
  private readonly found = new Map<string, PathCommits>();
  private tries = 0;

  requireCommitsRead(
    ranges: readonly CommitRange[],
    read: (range: CommitRange) => Promise<PathCommits>,
  ): { range: CommitRange; found: PathCommits }[] {
    const missing = ranges.filter((range) => !this.found.has(toCommitRangeKey(range)));
    if (missing.length > 0)
      throw new ContentsNotReadError(async () => {
        this.tries += 1;
        if (this.tries > MAX_READ_ROUNDS)
          throw conflict(
            'changed_meanwhile',
            'The git sources of the plan are being synced. Try again after the sync.',
          );
        for (const range of missing) this.found.set(toCommitRangeKey(range), await read(range));
      });
    return ranges.flatMap((range) => {
      const found = this.found.get(toCommitRangeKey(range));
      return found ? [{ range, found }] : [];
    });
  }
}
