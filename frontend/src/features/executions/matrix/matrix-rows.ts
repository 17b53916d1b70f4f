import type { Execution, ExecutionHost, ExecutionStep, HostStatus, StepStatus } from '../../../api/types';
import { statusStyle, type Tone } from '../../../ui/status/statuses';
import { isExcluded } from '../run/host-outcome';
import { BLANK_CELL, type Cell, type Cells, type HostCells } from '../run/run-cells.reducer';
import { cellStyle } from './cell-style';

export interface Row {
  serverId: string;
  name: string;
  address: string;
  /** One cell for each step; null where the step does not run on this host. */
  cells: (Cell | null)[];
  tone: Tone;
  tags: ExecutionHost['tags'];
  /** Time that the steps took, in ms; null = unknown, or none has finished. */
  durationMs: number | null;
}

export type Sort = 'name' | 'slow';
export type Show = 'failed' | 'active' | 'good';

const TONES_WORST_FIRST: Tone[] = ['bad', 'warn', 'active', 'idle', 'good', 'muted'];

/** Failed hosts first, then by name, so that a row moves only when its host fails. */
export function matrixRows(
  hosts: readonly ExecutionHost[],
  steps: readonly ExecutionStep[],
  cells: Cells,
  durations: ReadonlyMap<string, number> = NO_DURATIONS,
): Row[] {
  const kind = steps.map(({ key, type, status, always }) => `${key} ${type} ${status} ${always}`).join('\n');
  const rows = hosts
    .map((host) => cachedRow(host, steps, kind, cells.get(host.serverId) ?? NO_CELLS, durations.get(host.serverId)))
    .sort(compareNames);
  return [...rows.filter(({ tone }) => tone === 'bad'), ...rows.filter(({ tone }) => tone !== 'bad')];
}

const NO_CELLS: HostCells = new Map();
const byName = new Intl.Collator('en', { numeric: true });
/** A collator takes 100 ms to sort 10,000 names. The names of a run are compared again and again. */
const compareNames = (a: Row, b: Row): number => byName.compare(a.name, b.name);

interface CachedRow {
  row: Row;
  kind: string;
  cells: HostCells;
  durationMs: number | undefined;
}

const cachedRows = new WeakMap<ExecutionHost, CachedRow>();

/** Returns the same row while nothing of its host changes, so that the grid does not render it again. */
function cachedRow(
  host: ExecutionHost,
  steps: readonly ExecutionStep[],
  kind: string,
  cells: HostCells,
  durationMs: number | undefined,
): Row {
  const known = cachedRows.get(host);
  if (known && known.kind === kind && known.cells === cells && known.durationMs === durationMs) return known.row;
  const row = toRow(host, steps, cells, durationMs ?? null);
  cachedRows.set(host, { row, kind, cells, durationMs });
  return row;
}

/** @param sort undefined: unchanged, with failed hosts first */
export function sortRows(rows: readonly Row[], sort: Sort | undefined): readonly Row[] {
  if (sort === 'name') return rows.toSorted(compareNames);
  if (sort === 'slow') return rows.toSorted((a, b) => (b.durationMs ?? -1) - (a.durationMs ?? -1));
  return rows;
}

const NO_DURATIONS: ReadonlyMap<string, number> = new Map();

/** @param serverIds servers of a cause of failures; absent: all */
export function filterRows(
  rows: readonly Row[],
  text: string | undefined,
  show: Show | undefined,
  serverIds?: readonly string[],
): Row[] {
  const chosen = serverIds && new Set(serverIds);
  const needle = text?.toLowerCase() ?? '';
  return rows.filter(
    (row) =>
      (!chosen || chosen.has(row.serverId)) &&
      fits(row, show) &&
      (row.name.toLowerCase().includes(needle) || row.address.includes(needle)),
  );
}

export const countRows = (rows: readonly Row[], show: Show | undefined): number =>
  rows.reduce((count, row) => count + (fits(row, show) ? 1 : 0), 0);

/**
 * Number of hosts of the run that the filter shows. Until a large run is loaded completely, the server's counts by host
 * status. Dry runs have verdicts instead.
 */
export function countHosts(
  { hostCount, execution_mode, summary }: Pick<Execution, 'hostCount' | 'execution_mode' | 'summary'>,
  rows: readonly Row[],
  show: Show | undefined,
): number {
  if (rows.length >= hostCount || execution_mode === 'dry_run') return countRows(rows, show);
  if (show === undefined) return hostCount;
  return Object.entries(summary.hostCounts).reduce(
    (sum, [status, count]) => sum + (fits(statusStyle(status as HostStatus), show) ? count : 0),
    0,
  );
}

function toRow(host: ExecutionHost, steps: readonly ExecutionStep[], cells: HostCells, durationMs: number | null): Row {
  const { serverId, name, address, status, targetedBy, tags } = host;
  const found = steps.map((step) => {
    const cell = cells.get(step.key);
    if (cell || (targetedBy !== null && !targetedBy.includes(step.key))) return cell ?? null;
    return withoutResult(step, isExcluded(host));
  });
  const tones = found.flatMap((cell) => (cell ? [cellStyle(cell).tone] : []));
  const worstTone = TONES_WORST_FIRST.find((tone) => tones.includes(tone));
  return { serverId, name, address, tags, cells: found, tone: worstTone ?? statusStyle(status).tone, durationMs };
}

/** Returns the key of the first step that failed on a host; undefined: none did. */
export function firstFailedStep(
  rows: readonly Row[],
  steps: readonly ExecutionStep[],
  host: string,
): string | undefined {
  const cells = rows.find(({ name }) => name === host)?.cells ?? [];
  return steps[cells.findIndex((cell) => cell !== null && cellStyle(cell).tone === 'bad')]?.key;
}

const CELL_WITHOUT_RESULT: Partial<Record<StepStatus, Cell>> = {
  PENDING: BLANK_CELL,
  PAUSED: BLANK_CELL,
  SKIPPED: { ...BLANK_CELL, status: 'SKIPPED' },
  CANCELLED: { ...BLANK_CELL, status: 'CANCELLED' },
};

/** Cell of a host without a result in a step; null = the step does not run there. */
function withoutResult({ type, status, always }: ExecutionStep, out: boolean): Cell | null {
  if (type === 'gate' || (out && !always && (status === 'PENDING' || status === 'PAUSED'))) return null;
  return CELL_WITHOUT_RESULT[status] ?? null;
}

function fits({ tone }: Pick<Row, 'tone'>, show: Show | undefined): boolean {
  if (show === 'failed') return tone === 'bad' || tone === 'warn';
  if (show === 'active') return tone === 'active' || tone === 'idle';
  return show === undefined || tone === 'good';
}
