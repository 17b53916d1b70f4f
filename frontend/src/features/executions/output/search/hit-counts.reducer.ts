import type { HitCount, HitCountPage } from '../../../../api/types';

/** Hits of a search by host and step, as far as the output was searched. */
export interface HitCounts {
  /** Steps and hosts with hits, in the order of their first hits. */
  cells: readonly HitCount[];
  hits: number;
  /** Cursor for the next request; null before the first answer. */
  after: string | null;
  /** The run is finished and all output was searched. */
  complete: boolean;
  loading: boolean;
  /** Share of the output that was searched, in percent. */
  percent: number;
  /** The search stopped after many hits. */
  more: boolean;
  error: unknown;
}

export type HitCountAction =
  | { type: 'reset' }
  | { type: 'page'; page: HitCountPage; spent: boolean }
  | { type: 'failed'; error: unknown }
  | { type: 'loading' };

export const NO_HITS: HitCounts = {
  cells: [],
  hits: 0,
  after: null,
  complete: false,
  loading: true,
  percent: 0,
  more: false,
  error: null,
};

export const keyOfCell = ({ stepKey, serverId }: Pick<HitCount, 'stepKey' | 'serverId'>): string =>
  `${serverId} ${stepKey}`;

export function hitCountsReducer(state: HitCounts, action: HitCountAction): HitCounts {
  switch (action.type) {
    case 'reset':
      return NO_HITS;
    case 'loading':
      return { ...state, loading: true, more: false, error: null };
    case 'failed':
      return { ...state, loading: false, error: action.error };
    case 'page': {
      const { items, hits, nextAfter, readPercent } = action.page;
      const behind = readPercent < 100;
      return {
        cells: items.length === 0 ? state.cells : addCounts(state.cells, items),
        hits: state.hits + hits,
        after: nextAfter ?? state.after,
        complete: nextAfter === null,
        loading: behind && !action.spent,
        percent: readPercent,
        more: behind && action.spent,
        error: null,
      };
    }
  }
}

function addCounts(cells: readonly HitCount[], added: readonly HitCount[]): HitCount[] {
  const byKey = new Map(cells.map((cell) => [keyOfCell(cell), cell]));
  for (const cell of added) {
    const key = keyOfCell(cell);
    byKey.set(key, { ...cell, hits: cell.hits + (byKey.get(key)?.hits ?? 0) });
  }
  return [...byKey.values()];
}
