import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Principal } from '../../common/access/principal.js';
import { writeTexts } from '../../common/http/write-texts.js';
import { encodeCursor, readCursor } from '../../common/http/paging/cursor.js';
import type { ListOutputQuery } from '../contract/queries.dto.js';
import type { OutputLineView, OutputView } from '../contract/results.view.js';
import { isFinished } from '../lifecycle/statuses.js';
import type { NamedChunkRow, OutputFilters } from './chunk-batch.js';
import { ChunkScan, toReadPercent } from './chunk-scan.js';
import { toChunk } from '../output/stored-output.js';
import { LineSearch, toNumberedLines } from './line-search.js';
import { toDownloadText, renderJsonLines } from './output-download.js';
import { ReadBudget } from './read-budget.js';

const DEFAULT_LINES = 500;

const DOWNLOAD_FORMATS = {
  text: { media: 'text/plain', ending: 'txt' },
  ndjson: { media: 'application/x-ndjson', ending: 'ndjson' },
};

@Injectable()
export class OutputReader {
  constructor(private readonly scan: ChunkScan) {}

  /** @throws Problem 404 for a run that the caller can't see */
  async list(caller: Principal, id: string, query: ListOutputQuery): Promise<OutputView> {
    const limit = query.limit ?? DEFAULT_LINES;
    const start = parseCursor(query.after);
    const search = createLineSearch(query);
    const budget = new ReadBudget();
    const items: OutputLineView[] = [];
    for await (const { rows, bytes, next, last, end, status } of this.scan.readBatches(caller, id, query, start.seq)) {
      for (const row of rows) {
        const seq = Number(row.seq);
        for (const { index, ...line } of listChunkLines(row, search)) {
          if (seq === start.seq && index < start.skip) continue;
          if (items.length === limit || budget.isAnswerFull) return toOutputView(items, { seq, skip: index }, last);
          items.push({ ...toLinePlace(row), ...line });
          budget.addAnswer(line.text);
        }
      }
      budget.addScanned(bytes);
      // Later output has higher numbers, so the cursor stays valid while the run writes output.
      if (end) return { items, nextAfter: isFinished(status) ? null : encodeCursor([next, 0]), readPercent: 100 };
      if (budget.isScanLimitReached) return toOutputView(items, { seq: next, skip: 0 }, last);
    }
    throw new Error('Output was read beyond its end.');
  }

  /** Writes all output that matches the filters, chunk by chunk, as text or JSON lines. Bounds the memory. */
  async download(
    caller: Principal,
    id: string,
    query: ListOutputQuery,
    { response, form }: { response: Response; form: 'text' | 'ndjson' },
  ): Promise<undefined> {
    const portions = this.scan.readBatches(caller, id, query, 0);
    // Reads the first batch here, because a request can only be refused before the response begins.
    const first = await portions.next();
    const isExact = query.serverId !== undefined && query.stepKey !== undefined;
    const search = createLineSearch(query);
    const { media, ending } = DOWNLOAD_FORMATS[form];
    response.status(200).type(`${media}; charset=utf-8`);
    response.setHeader('Content-Disposition', `attachment; filename="run-${id}.${ending}"`);
    const texts = async function* () {
      try {
        for (let read = first; !read.done; read = await portions.next()) {
          for (const row of read.value.rows) {
            if (form === 'text') yield toDownloadText(row, isExact, search);
            else yield* renderJsonLines(toLinePlace(row), listChunkLines(row, search));
          }
          // Also yields for a batch without text, to detect a disconnected reader.
          yield '';
        }
      } finally {
        await portions.return(undefined);
      }
    };
    await writeTexts(response, texts());
  }
}

function toOutputView(items: OutputLineView[], { seq, skip }: { seq: number; skip: number }, last: number): OutputView {
  return { items, nextAfter: encodeCursor([seq, skip]), readPercent: toReadPercent(seq, last) };
}

function parseCursor(cursor: string | undefined): { seq: number; skip: number } {
  const names = { parameter: 'after', field: 'nextAfter' };
  const [seq, skip] = readCursor(cursor, ['sequence', 'sequence'], names) ?? [0, 0];
  return { seq, skip };
}

const createLineSearch = ({ q }: OutputFilters): LineSearch | null => (q ? new LineSearch(q) : null);

const listChunkLines = (row: NamedChunkRow, search: LineSearch | null) =>
  search ? search.findLines(toChunk(row), row.before) : toNumberedLines(toChunk(row));

const toLinePlace = (row: NamedChunkRow) => ({
  stepKey: row.step_key,
  serverId: row.server_id,
  serverName: row.server_name,
  stream: row.stream === 1 ? ('stdout' as const) : ('stderr' as const),
  at: row.at.toISOString(),
});
