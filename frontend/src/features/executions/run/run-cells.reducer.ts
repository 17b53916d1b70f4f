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

/** Cells of a host, by step key. The map of a host changes only together with one of its cells. */
export type HostCells = ReadonlyMap<string, Cell>;

/** Cells of a run, by server ID. */
export type Cells = ReadonlyMap<string, HostCells>;

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

/** Returns the cell of a host in a step; undefined: no result yet. */
export const cellAt = (cells: Cells, serverId: string, stepKey: string): Cell | undefined =>
  cells.get(serverId)?.get(stepKey);

export const NO_CELLS: CellsState = { cells: new Map(), outputVersion: 0 };

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

/** Copy of the cells of a run. Copies the cells of a host at its first change. */
class CellsEdit {
  private readonly copies = new Map<string, Map<string, Cell>>();

  constructor(private readonly before: Cells) {}

  get(serverId: string, stepKey: string): Cell | undefined {
    return (this.copies.get(serverId) ?? this.before.get(serverId))?.get(stepKey);
  }

  set(serverId: string, stepKey: string, cell: Cell): void {
    let copy = this.copies.get(serverId);
    if (!copy) {
      copy = new Map(this.before.get(serverId));
      this.copies.set(serverId, copy);
    }
    copy.set(stepKey, cell);
  }

  serverIds(): Set<string> {
    return new Set([...this.before.keys(), ...this.copies.keys()]);
  }

  /** Returns the cells; the previous object if none changed. */
  finish(): Cells {
    return this.copies.size > 0 ? new Map([...this.before, ...this.copies]) : this.before;
  }
}

/** The status of a cell moves only forward, except at a retry: replayed events must not reset a finished cell. */
export function cellsReducer(state: CellsState, action: CellsAction): CellsState {
  if (action.type === 'refresh') return { ...state, outputVersion: state.outputVersion + 1 };
  const edit = new CellsEdit(state.cells);
  if (action.type === 'grid') {
    const { serverIds, stepKeys, cells: results, results: rows } = action.grid;
    for (const [host, row] of rows.entries()) {
      for (const [step, index] of row.entries()) {
        const result = results[index];
        if (result) advanceCell(edit, serverIds[host] ?? '', stepKeys[step] ?? '', result);
      }
    }
    return { ...state, cells: edit.finish() };
  }
  let outputChanged = false;
  for (const { type, data } of action.events) {
    if (type === 'output.appended' || type === 'execution.finished') outputChanged = true;
    applyEvent(edit, type, data);
  }
  return { cells: edit.finish(), outputVersion: state.outputVersion + (outputChanged ? 1 : 0) };
}

function applyEvent(edit: CellsEdit, type: string, data: Record<string, unknown>): void {
  if (type === 'decision.made') resetRetriedCells(edit, data);
  const { serverId, stepKey } = data;
  if (typeof serverId !== 'string' || typeof stepKey !== 'string') return;
  const known = edit.get(serverId, stepKey);
  switch (type) {
    case 'host.started':
    case 'host.finished':
      if (typeof data.status !== 'string') return;
      return advanceCell(
        edit,
        serverId,
        stepKey,
        toCell({ ...known, ...clearedResult(type), ...(data as Partial<Cell>), attempts: attemptOf(known) }),
      );
    case 'host.retrying':
      return edit.set(serverId, stepKey, {
        ...BLANK_CELL,
        attempts: Number(data.attempt ?? known?.attempts ?? 1) + 1,
      });
    case 'host.reconnecting':
      // A running cell may become "connecting" again: such an event is not a replay.
      if (known && progressOf(known.status) === FINISHED_PROGRESS) return;
      return edit.set(serverId, stepKey, {
        ...(known ?? BLANK_CELL),
        status: 'CONNECTING',
        reason: (data.reason as Cell['reason'] | undefined) ?? null,
      });
    case 'host.resolved': {
      const resolution = (data.resolution as ResolutionKind | undefined) ?? null;
      if (known) edit.set(serverId, stepKey, { ...known, resolution });
    }
  }
}

/** Returns the latest attempt, or the first one. Start and end events contain no attempt number. */
const attemptOf = (known: Cell | undefined): number => Math.max(1, known?.attempts ?? 0);

const clearedResult = (type: string): Partial<Cell> =>
  type === 'host.started' ? { exitCode: null, reason: null, changed: null } : {};

function resetRetriedCells(edit: CellsEdit, { action, stepKey, serverIds }: Record<string, unknown>): void {
  if ((action !== 'retry' && action !== 'retry_failed') || typeof stepKey !== 'string') return;
  const named = Array.isArray(serverIds) ? new Set<unknown>(serverIds) : null;
  for (const serverId of edit.serverIds()) {
    const cell = edit.get(serverId, stepKey);
    if (!cell || (action === 'retry_failed' && cell.status === 'SUCCEEDED')) continue;
    const usual = action === 'retry' || !['SUCCEEDED', 'SKIPPED', 'UNKNOWN'].includes(cell.status);
    if (named ? named.has(serverId) : usual)
      edit.set(serverId, stepKey, { ...BLANK_CELL, attempts: cell.attempts + 1 });
  }
}

function advanceCell(edit: CellsEdit, serverId: string, stepKey: string, next: Cell): void {
  const known = edit.get(serverId, stepKey);
  const repeated = known !== undefined && next.attempts > known.attempts;
  // This response is older than the latest event of the stream.
  if (known && next.attempts > 0 && next.attempts < known.attempts) return;
  if (known && !repeated && progressOf(known.status) > progressOf(next.status)) return;
  edit.set(serverId, stepKey, next);
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
