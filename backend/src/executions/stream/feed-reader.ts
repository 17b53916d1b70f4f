import type { EntityManager } from 'typeorm';
import { row, rows, sql } from '../../common/database/sql.js';
import { listChunkLines } from '../output/output-lines.js';
import { CHUNK_POSITION_SQL, type ChunkRow, toChunk } from '../output/stored-output.js';
import type { OutputPointer } from '../output/run-events.js';
import type { RunEventType } from '../../outbox/event-types.js';

/**
 * Maximum number of events per read, and approximate maximum of output characters with them. A single event may have
 * more.
 */
const EVENTS_PER_PAGE = 200;
const MAX_PAGE_CHARACTERS = 512 * 1024;

interface EventRow {
  seq: string;
  type: RunEventType;
  data: Record<string, unknown>;
  at: Date;
}

export interface FeedPage {
  frames: string;
  /** Number of the last event in `frames`; without events, the start position. */
  last: number;
  finished: boolean;
}

export async function readLastNumber(tx: EntityManager, executionId: string): Promise<number> {
  const run = await row(tx, sql<{ event_seq: string }>`select event_seq from executions where id = ${executionId}`);
  return Number(run?.event_seq ?? 0);
}

export async function readFeedPage(tx: EntityManager, executionId: string, after: number): Promise<FeedPage> {
  const found = await rows(
    tx,
    sql<EventRow>`select seq, type, data, at from execution_events
      where execution_id = ${executionId} and seq > ${after} order by seq limit ${EVENTS_PER_PAGE}`,
  );
  const events = limitPageSize(found);
  const output = await readOutputLines(tx, executionId, events);
  const frames = events.map((event) => {
    const data = event.type === 'output.appended' ? { lines: output.get(event.seq) ?? [] } : event.data;
    const body = JSON.stringify({ executionId, at: event.at.toISOString(), ...data });
    return `id: ${event.seq}\nevent: ${event.type}\ndata: ${body}\n\n`;
  });
  return {
    frames: frames.join(''),
    last: Number(events.at(-1)?.seq ?? after),
    finished: events.some((event) => event.type === 'execution.finished'),
  };
}

function limitPageSize(events: EventRow[]): EventRow[] {
  let size = 0;
  const tooMany = events.findIndex((event, index) => {
    size += event.type === 'output.appended' ? toOutputPointer(event).size : 0;
    return index > 0 && size > MAX_PAGE_CHARACTERS;
  });
  return tooMany < 0 ? events : events.slice(0, tooMany);
}

const toOutputPointer = (event: EventRow): OutputPointer => event.data as unknown as OutputPointer;

async function readOutputLines(
  tx: EntityManager,
  executionId: string,
  events: readonly EventRow[],
): Promise<Map<string, object[]>> {
  const pointers = events
    .filter((event) => event.type === 'output.appended')
    .map((event) => ({ seq: event.seq, ...toOutputPointer(event) }));
  const lines = new Map<string, object[]>();
  const [first, last] = [pointers[0], pointers.at(-1)];
  if (!first || !last) return lines;
  // Chunks are numbered in the order of their events, so one range contains all of them.
  const chunks = await rows(
    tx,
    sql<ChunkRow>`select ${CHUNK_POSITION_SQL}, c.data from output_chunks c
      join execution_steps s on s.execution_id = c.execution_id and s.step_index = c.step_index
      where c.execution_id = ${executionId} and c.seq between ${first.from} and ${last.to} order by c.seq`,
  );
  for (const pointer of pointers) {
    const own = chunks.filter(({ seq }) => Number(seq) >= pointer.from && Number(seq) <= pointer.to);
    lines.set(
      pointer.seq,
      own.flatMap((chunk) => {
        const place = {
          stepKey: chunk.step_key,
          serverId: chunk.server_id,
          stream: chunk.stream === 1 ? 'stdout' : 'stderr',
          at: chunk.at.toISOString(),
        };
        return listChunkLines(toChunk(chunk)).map((line) => ({ ...place, ...line }));
      }),
    );
  }
  return lines;
}
