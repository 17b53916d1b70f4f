import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UnitOfWork } from '../../../common/database/unit-of-work.js';
import { row, sql } from '../../../common/database/sql.js';
import { invalidRequest } from '../../../common/errors/problem.js';
import { isId } from '../../../common/ids.js';
import type { Principal } from '../../../common/access/principal.js';
import type { OutputWindowQuery } from '../../contract/queries.dto.js';
import type { OutputWindowView } from '../../contract/output-window.view.js';
import { isFinished } from '../../lifecycle/statuses.js';
import { ExecutionsReader, requireStep } from '../../queries/executions.reader.js';
import { type OutputLinesBlock, toBlock } from './output-blocks.js';
import {
  findScanEnd,
  type OutputSelection,
  readChunksBefore,
  readChunksFrom,
  readPositionRange,
  type WindowChunk,
} from './window-chunks.js';

const DEFAULT_LINES = 500;
/** Text after which a window ends, in characters. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

/** Names of the parameters of which a request has at most one. */
const PLACES = ['from', 'before', 'around', 'tail'] as const;

interface Found {
  chunk: WindowChunk;
  block: OutputLinesBlock;
}

/** Lines in one direction from a place, in ascending order. */
interface Part {
  found: Found[];
  /** Position from which to continue in the same direction. */
  continueAt: number;
}

@Injectable()
export class OutputWindowReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
  ) {}

  /** @throws Problem 404 for a run that the caller can't see, 400 for parameters that exclude each other */
  async read(caller: Principal, id: string, query: OutputWindowQuery): Promise<OutputWindowView> {
    requirePlace(query);
    const { status } = await this.executions.getRunState(caller, id);
    return this.units.read(caller.tenantId, async (tx) => {
      await requireStep(tx, id, query.stepKey);
      const selection = await toSelection(tx, id, query);
      const range = selection ? await readPositionRange(tx, selection) : { first: 0, last: 0 };
      const parts = selection ? await readParts(tx, selection, query, range.last) : NO_PARTS;
      const previous = parts.before.continueAt > range.first ? parts.before.continueAt : null;
      const isEnd = parts.after.continueAt > range.last && isFinished(status);
      return {
        ...toLists([...parts.before.found, ...parts.after.found]),
        previous: range.last === 0 ? null : previous,
        next: isEnd ? null : parts.after.continueAt,
        ...range,
      };
    });
  }
}

/** Lines before and after a place. */
interface Parts {
  before: Part;
  after: Part;
}

const emptyPart = (place: number): Part => ({ found: [], continueAt: place });
const NO_PARTS: Parts = { before: emptyPart(1), after: emptyPart(1) };

function requirePlace(query: OutputWindowQuery): void {
  const [first, second] = PLACES.filter((name) => query[name] !== undefined);
  const message = second
    ? `${first} and ${second} exclude each other: send one of from, before, around and tail.`
    : query.to !== undefined && query.from === undefined
      ? 'to needs from: send both.'
      : query.to !== undefined && query.from !== undefined && query.to < query.from
        ? `to must not be less than from (got ${query.to} and ${query.from})`
        : null;
  if (message) throw invalidRequest([{ path: `?${second ?? 'to'}`, code: 'invalid_format', message }]);
}

/** Null: no output can match. */
async function toSelection(
  tx: EntityManager,
  executionId: string,
  { stepKey, serverId, stream }: OutputWindowQuery,
): Promise<OutputSelection | null> {
  if (serverId !== undefined && !isId(serverId)) return null;
  const step =
    stepKey === undefined
      ? undefined
      : await row(
          tx,
          sql<{
            step_index: number;
          }>`select step_index from execution_steps where execution_id = ${executionId} and key = ${stepKey}`,
        );
  return {
    executionId,
    stepIndex: step?.step_index ?? null,
    serverId: serverId ?? null,
    stream: stream ?? null,
  };
}

async function readParts(
  tx: EntityManager,
  selection: OutputSelection,
  { from = 1, to = Number.POSITIVE_INFINITY, before, around, tail, limit = DEFAULT_LINES }: OutputWindowQuery,
  last: number,
): Promise<Parts> {
  const backward = (place: number, lines: number) => readBackward(tx, selection, place, lines);
  const forward = (place: number, lines: number) => readForward(tx, selection, place, { lines, to, last });
  if (tail !== undefined) return { before: await backward(last + 1, tail), after: emptyPart(last + 1) };
  if (before !== undefined) return { before: await backward(before, limit), after: emptyPart(before) };
  if (around === undefined) return { before: emptyPart(from), after: await forward(from, limit) };
  return {
    before: await backward(around, Math.floor(limit / 2)),
    after: await forward(around, Math.ceil(limit / 2)),
  };
}

async function readForward(
  tx: EntityManager,
  selection: OutputSelection,
  from: number,
  { lines, to, last }: { lines: number; to: number; last: number },
): Promise<Part> {
  const found: Found[] = [];
  let place = from;
  for (let [count, characters] = [0, 0]; count < lines && characters < MAX_CHARACTERS && place <= to; ) {
    const chunks = await readChunksFrom(tx, selection, place, lines - count);
    const start = place;
    for (const chunk of chunks) {
      const end = Math.min(chunk.position + chunk.lineCount - 1, to);
      if (end < place || count >= lines) continue;
      const first = Math.max(place, chunk.position);
      const block = toBlock(chunk, { from: first, to: Math.min(end, first + lines - count - 1) });
      found.push({ chunk, block });
      count += block.lines.length;
      characters += lengthOf(block);
      place = block.position + block.lines.length;
    }
    if (place > start) continue;
    const end = await findScanEnd(tx, selection, start, true);
    place = Math.max(place, (end ?? last) + 1);
    break;
  }
  return { found, continueAt: Math.min(place, to + 1) };
}

async function readBackward(
  tx: EntityManager,
  selection: OutputSelection,
  before: number,
  lines: number,
): Promise<Part> {
  const found: Found[] = [];
  let place = before;
  for (let [count, characters] = [0, 0]; count < lines && characters < MAX_CHARACTERS && place > 1; ) {
    const chunks = await readChunksBefore(tx, selection, place, lines - count);
    const start = place;
    for (const chunk of chunks.toReversed()) {
      const end = Math.min(chunk.position + chunk.lineCount, place) - 1;
      if (end < chunk.position || count >= lines) continue;
      const block = toBlock(chunk, { from: Math.max(chunk.position, end - (lines - count) + 1), to: end });
      found.unshift({ chunk, block });
      count += block.lines.length;
      characters += lengthOf(block);
      place = block.position;
    }
    if (place < start) continue;
    place = (await findScanEnd(tx, selection, start, false)) ?? 1;
    break;
  }
  return { found, continueAt: place };
}

const lengthOf = ({ lines }: OutputLinesBlock): number => lines.reduce((sum, line) => sum + line.length, 0);

/** Names each step and host once. */
function toLists(found: readonly Found[]): Pick<OutputWindowView, 'steps' | 'hosts' | 'blocks'> {
  const steps = [...new Set(found.map(({ chunk }) => chunk.stepKey))];
  const hosts = [...new Map(found.map(({ chunk }) => [chunk.serverId, chunk.serverName]))];
  const hostIndexes = new Map(hosts.map(([serverId], index) => [serverId, index]));
  return {
    steps,
    hosts: hosts.map(([serverId, serverName]) => ({ serverId, serverName })),
    blocks: found.map(({ chunk, block }) => ({
      step: steps.indexOf(chunk.stepKey),
      host: hostIndexes.get(chunk.serverId) ?? 0,
      ...block,
    })),
  };
}
