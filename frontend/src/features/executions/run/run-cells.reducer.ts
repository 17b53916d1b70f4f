import type { HostResult, HostStatus } from '../../../api/types';

/** What is known of one step on one host. */
export interface Cell {
  status: HostStatus;
  exitCode: number | null;
  code: string | null;
  message: string | null;
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
  | { type: 'events'; events: readonly RunEvent[] };

export const NO_CELLS: CellsState = { cells: new Map(), outputBell: 0 };

export const cellKey = (serverId: string, stepKey: string): string => `${serverId} ${stepKey}`;

const PROGRESS: Partial<Record<HostStatus, number>> = { PENDING: 0, CONNECTING: 1, RUNNING: 2 };
const FINISHED = 3;
const progressOf = (status: HostStatus): number => PROGRESS[status] ?? FINISHED;

/** A host in a step only moves forward: a stream that repeats its past must not turn a finished cell back. */
export function cellsReducer(state: CellsState, action: CellsAction): CellsState {
  const cells = new Map(state.cells);
  if (action.type === 'results') {
    for (const item of action.items) advance(cells, cellKey(item.serverId, item.stepKey), pick(item));
    return { ...state, cells };
  }
  let rings = false;
  let moved = false;
  for (const { type, data } of action.events) {
    if (type === 'output.appended' || type === 'execution.finished') rings = true;
    if ((type !== 'host.started' && type !== 'host.finished') || !isPlaced(data)) continue;
    moved = advance(cells, cellKey(data.serverId, data.stepKey), pick(data)) || moved;
  }
  return { cells: moved ? cells : state.cells, outputBell: state.outputBell + (rings ? 1 : 0) };
}

function advance(cells: Map<string, Cell>, key: string, next: Cell): boolean {
  const known = cells.get(key);
  if (known && progressOf(known.status) > progressOf(next.status)) return false;
  cells.set(key, next);
  return true;
}

const pick = ({ status, exitCode, code, message }: { status: HostStatus } & Partial<Cell>): Cell => ({
  status,
  exitCode: exitCode ?? null,
  code: code ?? null,
  message: message ?? null,
});

function isPlaced(
  data: Record<string, unknown>,
): data is { serverId: string; stepKey: string; status: HostStatus } & Partial<Cell> {
  return typeof data.serverId === 'string' && typeof data.stepKey === 'string' && typeof data.status === 'string';
}
