import { conflict } from '../../../../common/errors/problem.js';
import { toGitFileKey, type LocatedGitFile, type GitFileContent } from '../../../../git-sources/git-source.reader.js';

/** Ends a transaction that needs git content which was not read yet. */
export class ContentsNotReadError extends Error {
  override readonly name = 'NotRead';

  constructor(readonly read: () => Promise<void>) {
    super('This has to be read first.');
  }
}

const MAX_READ_ROUNDS = 5;

/**
 * Content read from git sources for one start. Reads happen between transactions, because they wait for git, and for
 * the remote when a commit is missing here. Each transaction verifies that the commits are still the same.
 */
export class ReadContents {
  private readonly contents = new Map<string, GitFileContent>();
  private tries = 0;

  getContent(key: string): GitFileContent | undefined {
    return this.contents.get(key);
  }

  /** @throws ContentsNotReadError when any of the contents was not read */
  requireContentsRead(
    located: readonly LocatedGitFile[],
    read: (each: LocatedGitFile) => Promise<GitFileContent>,
  ): void {
    const missing = located.filter((each) => !this.contents.has(toGitFileKey(each)));
    if (missing.length === 0) return;
    throw new ContentsNotReadError(async () => {
      this.tries += 1;
      if (this.tries > MAX_READ_ROUNDS)
        throw conflict('changed_meanwhile', 'The git sources of the plan are being synced. Try again after the sync.');
      for (const each of missing) this.contents.set(toGitFileKey(each), await read(each));
    });
  }
}
