import type { HostResult, HostStatus, ResolutionKind, ResultGrid, Verdict } from '../../../api/types';

export interface Cell {
  status: HostStatus;
  exitCode: number | null;
  reason: HostResult['reason'];
  attempts: number;
  /** Null: unknown. */
  changed: boolean | null;
  resolution: ResolutionKind | null;
  verdict: Verdict | null;
}

export type Cells = ReadonlyMap<string, Cell>;

/** Event of the run's stream (`host.started`, `output.appended`, …). */
export interface RunEvent {
  type: string;
  data: Record<string, unknown>;
}

export interface CellsState {
  cells: Cells;
  outputVersion: number;
}

export type CellsAction =
  | { type: 'grid'; grid: ResultGrid }
  | { type: 'events'; events: readonly RunEvent[] }
  /** The stream was interrupted: output may have been missed. */
  | { type: 'refresh' };

export const NO_CELLS: CellsState = { cells: new Map(), outputVersion: 0 };

export const cellKey = (serverId: string, stepKey: string): string => `${serverId} ${stepKey}`;

const PROGRESS_BY_STATUS: Partial<Record<HostStatus, number>> = { PENDING: 0, CONNECTING: 1, RUNNING: 2 };
const FINISHED_PROGRESS = 3;
const progressOf = (status: HostStatus): number => PROGRESS_BY_STATUS[status] ?? FINISHED_PROGRESS;

/** Cell of a step that has not started on its host. */
export const BLANK_CELL: Cell = {
  status: 'PENDING',
  exitCode: null,
  reason: null,
  attempts: 0,
  changed: null,
  resolution: null,
  verdict: null,
};

/** The status of a cell moves only forward, except at a retry: replayed events must not reset a finished cell. */
export function cellsReducer(state: CellsState, action: CellsAction): CellsState {
  if (action.type === 'refresh') return { ...state, outputVersion: state.outputVersion + 1 };
  const cells = new Map(state.cells);
  if (action.type === 'grid') {
    const { serverIds, stepKeys, cells: results, results: rows } = action.grid;
    for (const [host, row] of rows.entries()) {
      for (const [step, index] of row.entries()) {
        const result = results[index];
        if (result) advanceCell(cells, cellKey(serverIds[host] ?? '', stepKeys[step] ?? ''), result);
      }
    }
    return { ...state, cells };
  }
  let outputChanged = false;
  let changedCells = false;
  for (const { type, data } of action.events) {
    if (type === 'output.appended' || type === 'execution.finished') outputChanged = true;
    changedCells = applyEvent(cells, type, data) || changedCells;
  }
  return { cells: changedCells ? cells : state.cells, outputVersion: state.outputVersion + (outputChanged ? 1 : 0) };
}

/** @returns whether a cell changed */
function applyEvent(cells: Map<string, Cell>, type: string, data: Record<string, unknown>): boolean {
  if (type === 'decision.made') return resetRetriedCells(cells, data);
  if (typeof data.serverId !== 'string' || typeof data.stepKey !== 'string') return false;
  const key = cellKey(data.serverId, data.stepKey);
  const known = cells.get(key);
  switch (type) {
    case 'host.started':
    case 'host.finished':
      return (
        typeof data.status === 'string' &&
        advanceCell(
          cells,
          key,
          toCell({ ...known, ...clearedResult(type), ...(data as Partial<Cell>), attempts: attemptOf(known) }),
        )
      );
    case 'host.retrying':
      cells.set(key, { ...BLANK_CELL, attempts: Number(data.attempt ?? known?.attempts ?? 1) + 1 });
      return true;
    case 'host.reconnecting':
      // A running cell may become "connecting" again: such an event is not a replay.
      if (known && progressOf(known.status) === FINISHED_PROGRESS) return false;
      cells.set(key, {
        ...(known ?? BLANK_CELL),
        status: 'CONNECTING',
        reason: (data.reason as Cell['reason'] | undefined) ?? null,
      });
      return true;
    case 'host.resolved':
      if (known) cells.set(key, { ...known, resolution: (data.resolution as ResolutionKind | undefined) ?? null });
      return known !== undefined;
    default:
      return false;
  }
}

/** Returns the latest attempt, or the first one. Start and end events contain no attempt number. */
const attemptOf = (known: Cell | undefined): number => Math.max(1, known?.attempts ?? 0);

const clearedResult = (type: string): Partial<Cell> =>
  type === 'host.started' ? { exitCode: null, reason: null, changed: null } : {};

function resetRetriedCells(cells: Map<string, Cell>, { action, stepKey, serverIds }: Record<string, unknown>): boolean {
  if ((action !== 'retry' && action !== 'retry_failed') || typeof stepKey !== 'string') return false;
  const named = Array.isArray(serverIds) ? serverIds : null;
  let changedCells = false;
  for (const [key, cell] of cells) {
    const [serverId, step] = key.split(' ');
    const usual = action === 'retry' || !['SUCCEEDED', 'SKIPPED', 'UNKNOWN'].includes(cell.status);
    const retried = named ? named.includes(serverId) : usual;
    if (step !== stepKey || !retried || (action === 'retry_failed' && cell.status === 'SUCCEEDED')) continue;
    cells.set(key, { ...BLANK_CELL, attempts: cell.attempts + 1 });
    changedCells = true;
  }
  return changedCells;
}

function advanceCell(cells: Map<string, Cell>, key: string, next: Cell): boolean {
  const known = cells.get(key);
  const repeated = known !== undefined && next.attempts > known.attempts;
  // This response is older than the latest event of the stream.
  if (known && next.attempts > 0 && next.attempts < known.attempts) return false;
  if (known && !repeated && progressOf(known.status) > progressOf(next.status)) return false;
  cells.set(key, next);
  return true;
}

const toCell = (from: Partial<Cell>): Cell => ({
  status: from.status ?? BLANK_CELL.status,
  exitCode: from.exitCode ?? null,
  reason: from.reason ?? null,
  attempts: from.attempts ?? 0,
  changed: from.changed ?? null,
  resolution: from.resolution ?? null,
  verdict: from.verdict ?? null,
});
