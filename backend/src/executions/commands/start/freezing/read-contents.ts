import { conflict } from '../../../../common/errors/problem.js';
import { contentKey, type PlacedContent, type ReadContent } from '../../../../git-sources/git-source.reader.js';

/** Ends the transaction that found content in git sources which was not read yet. */
export class NotRead extends Error {
  override readonly name = 'NotRead';

  constructor(readonly read: () => Promise<void>) {
    super('This has to be read first.');
  }
}

/** How often sources may come to other commits while they are read. */
const TRIES = 5;

/**
 * What was read of git sources for one start. Reading waits for git, and for a remote where this machine lacks a commit,
 * so it is done between transactions, and each transaction then looks whether the commits are still those.
 */
export class ReadContents {
  private readonly contents = new Map<string, ReadContent>();
  private tries = 0;

  get(key: string): ReadContent | undefined {
    return this.contents.get(key);
  }

  /** @throws NotRead when one of them was not read */
  demand(wanted: readonly PlacedContent[], read: (each: PlacedContent) => Promise<ReadContent>): void {
    const missing = wanted.filter((each) => !this.contents.has(contentKey(each)));
    if (missing.length === 0) return;
    throw new NotRead(async () => {
      this.tries += 1;
      if (this.tries > TRIES)
        throw conflict('changed_meanwhile', 'The git sources of the plan are being synced. Try again after the sync.');
      for (const each of missing) this.contents.set(contentKey(each), await read(each));
    });
  }
}
