import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { toHostReason } from '../../common/http/reason.view.js';
import type { ResultCellView, ResultGridView } from '../contract/result-grid.view.js';
import type { HostStatus } from '../lifecycle/statuses.js';

/** Results with the same values, on any hosts in any steps. */
export interface EqualResults extends Omit<ResultCellView, 'reason'> {
  code: ReasonCode | null;
  message: string | null;
  /** For each result, the ordinal of its host times the number of steps, plus the index of its step. */
  positions: number[];
}

export interface GridHost {
  ordinal: number;
  serverId: string;
  serverName: string;
  address: string;
  status: HostStatus;
  /** Null = no step has finished. */
  durationMs: number | null;
  /** Null = all steps. */
  targetedBy: string[] | null;
}

const NO_RESULT = -1;

/** @param hosts in the order of their ordinals */
export function toResultGrid(
  stepKeys: string[],
  hosts: readonly GridHost[],
  groups: readonly EqualResults[],
): Omit<ResultGridView, 'nextHost'> {
  const choices = new Map(hosts.map(({ targetedBy }) => [JSON.stringify(targetedBy), targetedBy]));
  const choiceIndexes = new Map([...choices.keys()].map((key, index) => [key, index]));
  return {
    serverIds: hosts.map(({ serverId }) => serverId),
    serverNames: hosts.map(({ serverName }) => serverName),
    addresses: hosts.map(({ address }) => address),
    hostStatuses: hosts.map(({ status }) => status),
    durationsMs: hosts.map(({ durationMs }) => durationMs),
    targets: hosts.map(({ targetedBy }) => choiceIndexes.get(JSON.stringify(targetedBy)) ?? 0),
    targetedBy: [...choices.values()],
    stepKeys,
    cells: groups.map(({ positions: _, code, message, ...cell }) => ({ ...cell, reason: toHostReason(code, message) })),
    results: toRows(stepKeys.length, hosts, groups),
  };
}

function toRows(steps: number, hosts: readonly GridHost[], groups: readonly EqualResults[]): number[][] {
  const rowOf = new Map(hosts.map(({ ordinal }): [number, number[]] => [ordinal, []]));
  for (const [cell, { positions }] of groups.entries()) {
    for (const position of positions) {
      const row = rowOf.get(Math.floor(position / steps));
      const step = position % steps;
      while (row && row.length <= step) row.push(NO_RESULT);
      if (row) row[step] = cell;
    }
  }
  return [...rowOf.values()];
}
