import type { HostResult, HostStatus, ResolutionKind, Verdict } from '../../../api/types';

/** What is known of one step on one host. */
export interface Cell {
  status: HostStatus;
  exitCode: number | null;
  code: string | null;
  message: string | null;
  attempts: number;
  /** Null: not known. */
  changed: boolean | null;
  /** What was found out about an unknown result. */
  resolution: ResolutionKind | null;
  verdict: Verdict | null;
}

/** Cells by `cellKey`. */
export type Cells = ReadonlyMap<string, Cell>;

/** A run event as the stream tells it (`host.started`, `output.appended`, …). */
export interface RunEvent {
  type: string;
  data: Record<string, unknown>;
}

export interface CellsState {
  cells: Cells;
  /** Grows with each batch that told of new output, and at the end: time to read on. */
  outputBell: number;
}

export type CellsAction =
  | { type: 'results'; items: readonly HostResult[] }
  | { type: 'events'; events: readonly RunEvent[] }
  /** The stream was away: what it would have rung for is read at once. */
  | { type: 'ring' };

export const NO_CELLS: CellsState = { cells: new Map(), outputBell: 0 };

export const cellKey = (serverId: string, stepKey: string): string => `${serverId} ${stepKey}`;

const PROGRESS: Partial<Record<HostStatus, number>> = { PENDING: 0, CONNECTING: 1, RUNNING: 2 };
const FINISHED = 3;
const progressOf = (status: HostStatus): number => PROGRESS[status] ?? FINISHED;

/** A host that has not begun a step. */
export const BLANK: Cell = {
  status: 'PENDING',
  exitCode: null,
  code: null,
  message: null,
  attempts: 0,
  changed: null,
  resolution: null,
  verdict: null,
};

/**
 * A host in a step only moves forward, unless it is told to begin anew: a stream that repeats its past must not turn a
 * finished cell back.
 */
export function cellsReducer(state: CellsState, action: CellsAction): CellsState {
  if (action.type === 'ring') return { ...state, outputBell: state.outputBell + 1 };
  const cells = new Map(state.cells);
  if (action.type === 'results') {
    for (const item of action.items) {
      const { resolution, ...rest } = item;
      advance(cells, cellKey(item.serverId, item.stepKey), pick({ ...rest, resolution: resolution?.kind ?? null }));
    }
    return { ...state, cells };
  }
  let rings = false;
  let moved = false;
  for (const { type, data } of action.events) {
    if (type === 'output.appended' || type === 'execution.finished') rings = true;
    moved = follow(cells, type, data) || moved;
  }
  return { cells: moved ? cells : state.cells, outputBell: state.outputBell + (rings ? 1 : 0) };
}

/** @returns whether a cell changed */
function follow(cells: Map<string, Cell>, type: string, data: Record<string, unknown>): boolean {
  if (type === 'decision.made') return reopen(cells, data);
  if (typeof data.serverId !== 'string' || typeof data.stepKey !== 'string') return false;
  const key = cellKey(data.serverId, data.stepKey);
  const known = cells.get(key);
  switch (type) {
    case 'host.started':
    case 'host.finished':
      return (
        typeof data.status === 'string' &&
        advance(cells, key, pick({ ...known, ...noResult(type), ...(data as Partial<Cell>), attempts: begun(known) }))
      );
    case 'host.retrying':
      cells.set(key, { ...BLANK, attempts: Number(data.attempt ?? known?.attempts ?? 1) + 1 });
      return true;
    case 'host.reconnecting':
      // It may have been seen running: this is no step back of a stream that repeats itself.
      if (known && progressOf(known.status) === FINISHED) return false;
      cells.set(key, {
        ...(known ?? BLANK),
        status: 'CONNECTING',
        code: String(data.code),
        message: String(data.message),
      });
      return true;
    case 'host.resolved':
      if (known) cells.set(key, { ...known, resolution: (data.resolution as ResolutionKind | undefined) ?? null });
      return known !== undefined;
    default:
      return false;
  }
}

/** Events of a start and an end don't tell the attempt: it is the one that was begun last, or the first. */
const begun = (known: Cell | undefined): number => Math.max(1, known?.attempts ?? 0);

/** What a start leaves of the attempt before it. */
const noResult = (type: string): Partial<Cell> =>
  type === 'host.started' ? { exitCode: null, code: null, message: null, changed: null } : {};

/** A person had hosts of a step run again: they wait as if they had not begun. */
function reopen(cells: Map<string, Cell>, { action, stepKey, serverIds }: Record<string, unknown>): boolean {
  if ((action !== 'retry' && action !== 'retry_failed') || typeof stepKey !== 'string') return false;
  const named = Array.isArray(serverIds) ? serverIds : null;
  let moved = false;
  for (const [key, cell] of cells) {
    const [serverId, step] = key.split(' ');
    const usual = action === 'retry' || !['SUCCEEDED', 'SKIPPED', 'UNKNOWN'].includes(cell.status);
    const wanted = named ? named.includes(serverId) : usual;
    if (step !== stepKey || !wanted || (action === 'retry_failed' && cell.status === 'SUCCEEDED')) continue;
    cells.set(key, { ...BLANK, attempts: cell.attempts + 1 });
    moved = true;
  }
  return moved;
}

function advance(cells: Map<string, Cell>, key: string, next: Cell): boolean {
  const known = cells.get(key);
  const repeated = known !== undefined && next.attempts > known.attempts;
  // An answer that was read before what the stream has told since.
  if (known && next.attempts > 0 && next.attempts < known.attempts) return false;
  if (known && !repeated && progressOf(known.status) > progressOf(next.status)) return false;
  cells.set(key, next);
  return true;
}

const pick = (from: Partial<Cell>): Cell => ({
  status: from.status ?? BLANK.status,
  exitCode: from.exitCode ?? null,
  code: from.code ?? null,
  message: from.message ?? null,
  attempts: from.attempts ?? 0,
  changed: from.changed ?? null,
  resolution: from.resolution ?? null,
  verdict: from.verdict ?? null,
});
