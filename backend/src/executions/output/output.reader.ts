import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { invalidRequest } from '../../common/errors/problem.js';
import { decodeCursor, encodeCursor } from '../../common/http/cursor.js';
import { isId } from '../../common/ids.js';
import type { ListOutputQuery } from '../execution.dto.js';
import type { OutputLineView, OutputView } from '../execution.view.js';
import { ExecutionsReader } from '../executions.reader.js';
import { isFinished } from '../lifecycle/statuses.js';
import { CHUNK_COLUMNS, type ChunkRow, toChunk } from './chunk-row.js';
import { linesOfChunk } from './output-lines.js';

const DEFAULT_LINES = 500;
/** Chunks are at most 16 KiB, so one read holds at most 4 MiB. */
const CHUNKS_AT_ONCE = 256;

type NamedChunkRow = ChunkRow & { server_name: string };

/** Stored output of a run: pages of numbered lines, or everything as text. */
@Injectable()
export class OutputReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /** @throws Problem 404 for a run that the caller can't see */
  list(caller: Principal, id: string, query: ListOutputQuery): Promise<OutputView> {
    const limit = query.limit ?? DEFAULT_LINES;
    let { seq, skip } = placeOf(query.after);
    return this.units.run(caller.tenantId, async (tx) => {
      const { status } = await this.executions.visible(tx, caller, id);
      const items: OutputLineView[] = [];
      const needle = query.q?.toLowerCase();
      for (;;) {
        const rows = await this.chunks(tx, id, query, seq);
        for (const row of rows) {
          const lines = linesOfChunk(toChunk(row));
          for (let index = Number(row.seq) === seq ? skip : 0; index < lines.length; index += 1) {
            const line = lines[index];
            if (!line || (needle && !line.text.toLowerCase().includes(needle))) continue;
            if (items.length === limit) return { items, nextAfter: encodeCursor([Number(row.seq), index]) };
            items.push({ ...placeOfRow(row), ...line });
          }
        }
        const last = rows.at(-1);
        if (last) {
          seq = Number(last.seq) + 1;
          skip = 0;
        }
        if (rows.length < CHUNKS_AT_ONCE) {
          // Later output has higher numbers, so the cursor goes on with a run that is still writing.
          return { items, nextAfter: isFinished(status) ? null : encodeCursor([seq, skip]) };
        }
      }
    });
  }

  /** Writes the text of all output that the filters leave, chunk by chunk; nothing piles up in memory. */
  async download(caller: Principal, id: string, query: ListOutputQuery, response: Response): Promise<undefined> {
    await this.units.run(caller.tenantId, (tx) => this.executions.visible(tx, caller, id));
    response.status(200).type('text/plain; charset=utf-8');
    response.setHeader('Content-Disposition', `attachment; filename="run-${id}.txt"`);
    const oneHost = query.serverId !== undefined && query.stepKey !== undefined;
    let seq = 0;
    for (;;) {
      const rows = await this.units.run(caller.tenantId, async (tx) => {
        // A grant may end while a long download is under way.
        await this.executions.visible(tx, caller, id);
        return this.chunks(tx, id, query, seq);
      });
      for (const row of rows) {
        if (response.destroyed) return;
        if (!response.write(textOf(row, oneHost, query.q?.toLowerCase()))) await drained(response);
      }
      const last = rows.at(-1);
      if (!last || rows.length < CHUNKS_AT_ONCE) break;
      seq = Number(last.seq) + 1;
    }
    response.end();
  }

  private chunks(tx: EntityManager, id: string, query: ListOutputQuery, from: number): Promise<NamedChunkRow[]> {
    if (query.serverId !== undefined && !isId(query.serverId)) return Promise.resolve([]);
    return tx.query<NamedChunkRow[]>(
      `select ${CHUNK_COLUMNS}, h.name as server_name from output_chunks c
        join execution_steps s on s.execution_id = c.execution_id and s.step_index = c.step_index
        join execution_hosts h on h.execution_id = c.execution_id and h.server_id = c.server_id
        where c.execution_id = $1 and c.seq >= $2
          and ($3::text is null or s.key = $3)
          and ($4::uuid is null or c.server_id = $4)
          and ($5::smallint is null or c.stream = $5)
        order by c.seq limit $6`,
      [
        id,
        from,
        query.stepKey ?? null,
        query.serverId ?? null,
        query.stream === undefined ? null : query.stream === 'stdout' ? 1 : 2,
        CHUNKS_AT_ONCE,
      ],
    );
  }
}

function placeOf(cursor: string | undefined): { seq: number; skip: number } {
  if (cursor === undefined) return { seq: 0, skip: 0 };
  const [seq, skip] = decodeCursor(cursor) ?? [];
  if (typeof seq === 'number' && typeof skip === 'number') return { seq, skip };
  throw invalidRequest([
    { path: '?after', code: 'invalid_cursor', message: 'after must be the nextAfter of the answer before, unchanged.' },
  ]);
}

const placeOfRow = (row: NamedChunkRow) => ({
  stepKey: row.step_key,
  serverId: row.server_id,
  serverName: row.server_name,
  stream: row.stream === 1 ? ('stdout' as const) : ('stderr' as const),
  at: row.at.toISOString(),
});

/** One host's output of one step is its exact bytes; a mix of several names each line's origin. */
function textOf(row: NamedChunkRow, exact: boolean, needle: string | undefined): Buffer | string {
  if (exact && !needle) return row.data;
  const lines = linesOfChunk(toChunk(row)).filter((line) => !needle || line.text.toLowerCase().includes(needle));
  return lines.map((line) => `${row.server_name} ${row.step_key} ${line.line}: ${line.text}\n`).join('');
}

function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
