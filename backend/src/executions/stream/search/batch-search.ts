import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { invalidRequest } from '../../../common/errors/problem.js';
import { JobEndedError, type ThreadJob, ThreadPool, toThreadFileUrl } from '../../../common/threads/thread-pool.js';
import type { CountOutputHitsQuery } from '../../contract/queries.dto.js';
import { toChunk } from '../../output/stored-output.js';
import type { NamedChunkRow } from '../chunk-batch.js';
import { type FoundLine, getUnfinishedLine, LineSearch, toNumberedLines } from '../line-search.js';
import type { PatternAnswer, PatternRequest } from './pattern-thread.js';

export interface SearchedBatch {
  /** Number of chunks that were searched: all, unless the time was used up. */
  searchedChunks: number;
  listHits: (index: number) => FoundLine[];
}

export type BatchSearch = (rows: readonly NamedChunkRow[], remainingMs: number) => Promise<SearchedBatch>;

/** In ms. The thread stops earlier, at the time limit of the request. */
const KILL_MS = 5_000;
/** Minimum time for a batch, in ms, so that each request makes progress. */
const MIN_BATCH_MS = 50;

const JOB: ThreadJob<PatternRequest, PatternAnswer> = {
  file: toThreadFileUrl('./pattern-thread', import.meta.url),
  runMs: KILL_MS,
};

/** Searches batches of chunks for a text, or in a thread for a regular expression. */
@Injectable()
export class BatchSearches {
  constructor(private readonly threads: ThreadPool) {}

  /**
   * @param withTexts whether lines that a pattern matches have the matched text
   * @throws Problem 400 for an invalid pattern; 429 `too_many_at_once`, 503 `busy`
   */
  async create(
    caller: Principal,
    { q, regex, matchCase = false }: CountOutputHitsQuery,
    withTexts: boolean,
  ): Promise<BatchSearch> {
    if (regex !== true) {
      const search = new LineSearch(q, matchCase);
      return (rows) =>
        Promise.resolve({
          searchedChunks: rows.length,
          listHits: (index) => {
            const row = rows[index] as NamedChunkRow;
            return search.findLines(toChunk(row), row.before);
          },
        });
    }
    const run = async (chunks: PatternRequest['chunks'], maxMs: number) => {
      const answer = await this.runJob(caller, { pattern: q, matchCase, chunks, maxMs, withTexts });
      if ('error' in answer) throw invalidPattern(`${answer.error}, at character ${answer.at}`);
      return answer;
    };
    await run([], MIN_BATCH_MS);
    return async (rows, remainingMs) => {
      const chunks = rows.map((row) => toNumberedLines(toChunk(row)));
      const beginnings = rows.map(({ continues, before }) => (continues && before ? getUnfinishedLine(before) : ''));
      const texts = chunks.map((lines, chunk) =>
        lines.map(({ text }, line) => (line === 0 ? beginnings[chunk] + text : text)),
      );
      const { matches, searchedChunks } = await run(texts, Math.max(MIN_BATCH_MS, remainingMs));
      return {
        searchedChunks,
        listHits: (index) =>
          matches
            .filter(({ chunk }) => chunk === index)
            .flatMap(({ line, at, text }) => {
              const found = chunks[index]?.[line];
              const begun = line === 0 ? (beginnings[index] ?? '').length : 0;
              return found ? [{ ...found, matchAt: Math.max(0, at - begun), ...(text ? { match: text } : {}) }] : [];
            }),
      };
    };
  }

  private async runJob({ tenantId }: Principal, request: PatternRequest): Promise<PatternAnswer> {
    try {
      return await this.threads.run(JOB, request, { tenantId, asks: 'request' });
    } catch (error) {
      if (error instanceof JobEndedError) throw invalidPattern(`it takes too much ${error.exceeded}`);
      throw error;
    }
  }
}

const invalidPattern = (reason: string) =>
  invalidRequest([{ path: '?q', code: 'invalid_value', message: `q is not a valid regular expression: ${reason}.` }]);
