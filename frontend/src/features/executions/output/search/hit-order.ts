import type { Hit, HitCount } from '../../../../api/types';
import { keyOfCell } from './hit-counts.reducer';

/** Loaded hits by key of their cell, in ascending order. */
export type LoadedHits = ReadonlyMap<string, readonly Hit[]>;

/** Puts the steps of a host together. Keeps the order otherwise. */
export function groupByHost(cells: readonly HitCount[]): HitCount[] {
  const hosts = new Map<string, HitCount[]>();
  for (const cell of cells) hosts.set(cell.serverId, [...(hosts.get(cell.serverId) ?? []), cell]);
  return [...hosts.values()].flat();
}

/** Where the next or previous hit is: it is loaded, or the hits of a cell must be loaded first. */
export type HitTarget = { hit: Hit } | { load: HitCount; select: 'first' | 'last' | 'next' } | null;

/**
 * Returns the hit after or before the selected one, in the order of `cells`; null = there is none.
 * @param selected null: no hit is selected, so the first or last one follows
 */
export function findTarget(
  cells: readonly HitCount[],
  loaded: LoadedHits,
  selected: Pick<Hit, 'stepKey' | 'serverId' | 'position'> | null,
  direction: 1 | -1,
): HitTarget {
  const at = selected === null ? -1 : cells.findIndex((cell) => keyOfCell(cell) === keyOfCell(selected));
  const cell = cells[at];
  if (selected !== null && cell) {
    const hits = loaded.get(keyOfCell(cell)) ?? [];
    const hit =
      direction === 1
        ? hits.find(({ position }) => position > selected.position)
        : hits.findLast(({ position }) => position < selected.position);
    if (hit) return { hit };
    if (direction === 1 && hits.length < cell.hits) return { load: cell, select: 'next' };
  }
  const next = cells[at === -1 && direction === -1 ? cells.length - 1 : at + direction];
  if (!next) return null;
  const hits = loaded.get(keyOfCell(next)) ?? [];
  const hit = direction === 1 ? hits[0] : hits.at(-1);
  if (hit && (direction === 1 || hits.length >= next.hits)) return { hit };
  return { load: next, select: direction === 1 ? 'first' : 'last' };
}
