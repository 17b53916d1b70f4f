import { Injectable } from '@nestjs/common';
import type { Principal } from '../../../common/access/principal.js';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { encodeCursor, readCursor } from '../../../common/http/paging/cursor.js';
import type { CountOutputHitsQuery, SearchOutputQuery } from '../../contract/queries.dto.js';
import type {
  OutputHitCountsView,
  OutputHitCountView,
  OutputHitsView,
  OutputHitView,
} from '../../contract/output-hits.view.js';
import { isFinished } from '../../lifecycle/statuses.js';
import type { NamedChunkRow } from '../chunk-batch.js';
import { ChunkScan, toReadPercent } from '../chunk-scan.js';
import type { FoundLine } from '../line-search.js';
import { ReadBudget } from '../read-budget.js';
import { type BatchSearch, BatchSearches } from './batch-search.js';
import { type LineContext, readContexts } from './hit-context.js';

const DEFAULT_HITS = 50;
const DEFAULT_CONTEXT = 1;
const MAX_HIT_CHARACTERS = 1_000;
/** Characters before the match that an excerpt of a longer line contains. */
const CHARACTERS_BEFORE_MATCH = 200;
/** Maximum number of steps and hosts in an answer. */
const MAX_COUNTS = 1_000;

interface Hit {
  row: NamedChunkRow;
  line: FoundLine;
}

/** Position of the scan: a chunk, and the number of its lines to skip. */
interface ScanPlace {
  seq: number;
  skip: number;
}

type ScanView = Pick<OutputHitsView, 'nextAfter' | 'readPercent'>;

@Injectable()
export class OutputSearchReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly scan: ChunkScan,
    private readonly searches: BatchSearches,
  ) {}

  /** @throws Problem 404 for a run that the caller can't see; 400 for an invalid pattern */
  async search(caller: Principal, id: string, query: SearchOutputQuery): Promise<OutputHitsView> {
    const { limit = DEFAULT_HITS, context = DEFAULT_CONTEXT } = query;
    const found: Hit[] = [];
    const search = await this.searches.create(caller, query, true);
    const take = (hit: Hit) => found.length < limit && found.push(hit) > 0;
    const end = await this.scanLines(caller, id, { query, search, take });
    const places = found.map(({ row, line }) => ({
      step_index: row.step_index,
      server_id: row.server_id,
      line: line.line,
    }));
    const contexts =
      found.length === 0 ? [] : await this.units.read(caller.tenantId, (tx) => readContexts(tx, id, places, context));
    return { items: found.map((hit, index) => toHitView(hit, contexts[index] as LineContext)), ...end };
  }

  /** @throws Problem 404 for a run that the caller can't see; 400 for an invalid pattern */
  async count(caller: Principal, id: string, query: CountOutputHitsQuery): Promise<OutputHitCountsView> {
    const counts = new Map<string, OutputHitCountView>();
    let hits = 0;
    const search = await this.searches.create(caller, query, false);
    const take = ({ row }: Hit) => {
      const key = `${row.step_index} ${row.server_id}`;
      const count = counts.get(key) ?? { ...toCell(row), hits: 0 };
      if (count.hits === 0 && counts.size === MAX_COUNTS) return false;
      counts.set(key, count);
      count.hits += 1;
      hits += 1;
      return true;
    };
    const end = await this.scanLines(caller, id, { query, search, take });
    return { items: [...counts.values()], hits, ...end };
  }

  /**
   * Passes each line with the text to `take`, until that returns false or the budget of the request is spent. A line in
   * several chunks is passed once.
   */
  private async scanLines(
    caller: Principal,
    id: string,
    { query, search, take }: { query: CountOutputHitsQuery; search: BatchSearch; take: (hit: Hit) => boolean },
  ): Promise<ScanView> {
    const budget = new ReadBudget();
    const start = parseCursor(query.after);
    const lastLines = new Map<string, number>();
    for await (const { rows, bytes, next, last, end, status } of this.scan.readBatches(caller, id, query, start.seq)) {
      const { searchedChunks, listHits } = await search(rows, budget.remainingMs);
      for (const [index, row] of rows.slice(0, searchedChunks).entries()) {
        const seq = Number(row.seq);
        const key = `${row.step_index} ${row.server_id} ${row.stream}`;
        for (const line of listHits(index)) {
          if ((seq === start.seq && line.index < start.skip) || lastLines.get(key) === line.line) continue;
          if (!take({ row, line })) return toScanView({ seq, skip: line.index }, last);
          lastLines.set(key, line.line);
        }
      }
      const unsearched = rows[searchedChunks];
      if (unsearched) return toScanView({ seq: Number(unsearched.seq), skip: 0 }, last);
      budget.addScanned(bytes);
      // Later output has higher numbers, so the cursor stays valid while the run writes output.
      if (end) return { nextAfter: isFinished(status) ? null : encodeCursor([next, 0]), readPercent: 100 };
      if (budget.isScanLimitReached) return toScanView({ seq: next, skip: 0 }, last);
    }
    throw new Error('Output was read beyond its end.');
  }
}

function parseCursor(cursor: string | undefined): ScanPlace {
  const names = { parameter: 'after', field: 'nextAfter' };
  const [seq, skip] = readCursor(cursor, ['sequence', 'sequence'], names) ?? [0, 0];
  return { seq, skip };
}

const toScanView = ({ seq, skip }: ScanPlace, last: number): ScanView => ({
  nextAfter: encodeCursor([seq, skip]),
  readPercent: toReadPercent(seq, last),
});

const toCell = (row: NamedChunkRow) => ({
  stepKey: row.step_key,
  serverId: row.server_id,
  serverName: row.server_name,
});

function toHitView({ row, line }: Hit, { position, before, after }: LineContext): OutputHitView {
  const from = line.text.length <= MAX_HIT_CHARACTERS ? 0 : Math.max(0, line.matchAt - CHARACTERS_BEFORE_MATCH);
  const text = line.text.slice(from, from + MAX_HIT_CHARACTERS);
  const isWhole = text.length === line.text.length && !line.continues && (!line.partial || !row.open_ended);
  return {
    ...toCell(row),
    stream: row.stream === 1 ? 'stdout' : 'stderr',
    line: line.line,
    position: position ?? Number(row.run_line) + line.index + 1,
    at: row.at.toISOString(),
    text,
    ...(isWhole ? {} : { truncated: true }),
    ...(line.match ? { match: line.match.slice(0, MAX_HIT_CHARACTERS) } : {}),
    before,
    after,
  };
}
