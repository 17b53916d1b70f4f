import { JobEnded, threadFile, type ThreadJob, type ThreadPool, type ThreadShare } from '../threads/thread-pool.js';

/** A difference that takes longer to find is told without its lines. */
const COMPARE_MS = 2000;
/** Characters of a difference that are shown: all of two scripts, and more than anybody reads of two plans. */
const MOST_SHOWN = 1_048_576;

/** What the thread is asked. */
export interface TextsToCompare {
  /** What the two are called. */
  readonly from: string;
  readonly to: string;
  readonly before: string;
  readonly after: string;
  readonly timeoutMs: number;
  /** Most characters of the answer. */
  readonly most: number;
}

export interface ComparedTexts {
  readonly text: string | null;
  readonly moreLines: number;
}

/** Two texts of a record, with the numbers of their revisions. */
export interface RevisionTexts {
  /** Null: there was no revision yet. */
  readonly from: { number: number; text: string } | null;
  readonly to: { number: number; text: string };
}

const COMPARISON: ThreadJob<TextsToCompare, ComparedTexts> = {
  file: threadFile('./compare-texts-thread', import.meta.url),
  runMs: 2 * COMPARE_MS,
};

/** Compares the texts of two revisions. Never within a transaction. @throws Problem 429 `too_many_at_once`, 503 `busy` */
export async function compareRevisions(
  threads: ThreadPool,
  { from, to }: RevisionTexts,
  share: ThreadShare,
): Promise<ComparedTexts> {
  const request = {
    from: from ? nameOf(from.number) : '/dev/null',
    to: nameOf(to.number),
    before: from?.text ?? '',
    after: to.text,
    timeoutMs: COMPARE_MS,
    most: MOST_SHOWN,
  };
  return threads.run(COMPARISON, request, share).catch((error: unknown) => {
    if (error instanceof JobEnded) return { text: null, moreLines: 0 };
    throw error;
  });
}

const nameOf = (number: number): string => `revision ${number}`;
