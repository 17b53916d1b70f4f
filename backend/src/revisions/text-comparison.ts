import {
  JobEndedError,
  toThreadFileUrl,
  type ThreadJob,
  type ThreadPool,
  type ThreadShare,
} from '../common/threads/thread-pool.js';

/** Time limit for a comparison, in ms. A slower comparison returns no lines. */
const COMPARE_TIMEOUT_MS = 2000;
/** Maximum length of a diff, in characters. Two whole scripts fit. */
const MAX_DIFF_CHARS = 1_048_576;

export interface TextsToCompare {
  readonly from: string;
  readonly to: string;
  readonly before: string;
  readonly after: string;
  readonly timeoutMs: number;
  readonly limit: number;
}

export interface ComparedTexts {
  readonly text: string | null;
  readonly moreLines: number;
}

export interface RevisionTexts {
  readonly from: { number: number; text: string } | null;
  readonly to: { number: number; text: string };
}

const COMPARISON_JOB: ThreadJob<TextsToCompare, ComparedTexts> = {
  file: toThreadFileUrl('./compare-texts-thread', import.meta.url),
  runMs: 2 * COMPARE_TIMEOUT_MS,
};

/**
 * Compares the texts of two revisions. Do not call it in a transaction.
 * @throws Problem 429 `too_many_at_once`, 503 `busy`
 */
export async function compareRevisions(
  threads: ThreadPool,
  { from, to }: RevisionTexts,
  share: ThreadShare,
): Promise<ComparedTexts> {
  const request = {
    from: from ? toRevisionLabel(from.number) : '/dev/null',
    to: toRevisionLabel(to.number),
    before: from?.text ?? '',
    after: to.text,
    timeoutMs: COMPARE_TIMEOUT_MS,
    limit: MAX_DIFF_CHARS,
  };
  return threads.run(COMPARISON_JOB, request, share).catch((error: unknown) => {
    if (error instanceof JobEndedError) return { text: null, moreLines: 0 };
    throw error;
  });
}

const toRevisionLabel = (number: number): string => `revision ${number}`;
