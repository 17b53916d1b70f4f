import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { toHostReason } from '../../common/http/reason.view.js';
import type { ResultCellView, ResultGridView } from '../contract/result-grid.view.js';
import type { HostStatus } from '../lifecycle/statuses.js';

/** Values of a result, as an array of JSON: equal texts are equal results. */
type CellValues = [
  status: HostStatus,
  exitCode: number | null,
  code: ReasonCode | null,
  message: string | null,
  attempts: number,
  changed: boolean | null,
  resolution: ResultCellView['resolution'],
  verdict: ResultCellView['verdict'],
];

export interface GridHost {
  serverId: string;
  serverName: string;
  address: string;
  status: HostStatus;
  /** Null = all steps. */
  targetedBy: string[] | null;
  /** Indexes of the steps with a result, ascending, and their values as JSON text. */
  steps: readonly number[];
  values: readonly string[];
}

const NO_RESULT = -1;

/** Returns the position of each item among the different ones, which it collects in `distinct`. */
function createIndex<T>(distinct: T[]): (key: string, create: () => T) => number {
  const positions = new Map<string, number>();
  return (key, create) => {
    let position = positions.get(key);
    if (position === undefined) {
      position = distinct.push(create()) - 1;
      positions.set(key, position);
    }
    return position;
  };
}

export function toResultGrid(stepKeys: string[], hosts: readonly GridHost[]): ResultGridView {
  const cells: ResultCellView[] = [];
  const targetedBy: (string[] | null)[] = [];
  const indexOfCell = createIndex(cells);
  const indexOfTargets = createIndex(targetedBy);
  return {
    serverIds: hosts.map(({ serverId }) => serverId),
    serverNames: hosts.map(({ serverName }) => serverName),
    addresses: hosts.map(({ address }) => address),
    hostStatuses: hosts.map(({ status }) => status),
    targets: hosts.map(({ targetedBy: keys }) => indexOfTargets(JSON.stringify(keys), () => keys)),
    targetedBy,
    stepKeys,
    cells,
    results: hosts.map(({ steps, values }) => {
      const row = Array.from({ length: (steps.at(-1) ?? -1) + 1 }, () => NO_RESULT);
      for (const [at, step] of steps.entries()) {
        const text = values[at] ?? '';
        row[step] = indexOfCell(text, () => toCell(JSON.parse(text) as CellValues));
      }
      return row;
    }),
  };
}

const toCell = ([
  status,
  exitCode,
  code,
  message,
  attempts,
  changed,
  resolution,
  verdict,
]: CellValues): ResultCellView => ({
  status,
  exitCode,
  reason: toHostReason(code, message),
  attempts,
  changed,
  resolution,
  verdict,
});
