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
  tags: Record<string, string>;
  facts: Record<string, string>;
}

const NO_RESULT = -1;

/** @param hosts in the order of their ordinals */
export function toResultGrid(
  stepKeys: string[],
  hosts: readonly GridHost[],
  groups: readonly EqualResults[],
): Omit<ResultGridView, 'nextHost'> {
  const targets = listDifferent(hosts.map(({ targetedBy }) => targetedBy));
  const tags = listDifferent(hosts.map((host) => host.tags));
  const facts = listDifferent(hosts.map((host) => host.facts));
  return {
    serverIds: hosts.map(({ serverId }) => serverId),
    serverNames: hosts.map(({ serverName }) => serverName),
    addresses: hosts.map(({ address }) => address),
    hostStatuses: hosts.map(({ status }) => status),
    durationsMs: hosts.map(({ durationMs }) => durationMs),
    targets: targets.indexes,
    targetedBy: targets.values,
    hostTags: tags.indexes,
    tags: tags.values,
    hostFacts: facts.indexes,
    facts: facts.values,
    stepKeys,
    cells: groups.map(({ positions: _, code, message, ...cell }) => ({ ...cell, reason: toHostReason(code, message) })),
    results: toRows(stepKeys.length, hosts, groups),
  };
}

/** Names each different value once, and for each given value its index. */
function listDifferent<T>(values: readonly T[]): { values: T[]; indexes: number[] } {
  const different = new Map<string, { value: T; index: number }>();
  const indexes = values.map((value) => {
    const key = JSON.stringify(value);
    const known = different.get(key) ?? { value, index: different.size };
    different.set(key, known);
    return known.index;
  });
  return { values: [...different.values()].map(({ value }) => value), indexes };
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
