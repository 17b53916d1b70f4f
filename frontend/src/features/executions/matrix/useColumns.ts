import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback } from 'react';

/** Columns that are rendered before the width of the grid is known. */
const FIRST_COLUMNS = 40;
const OVERSCAN = 6;

/** Consecutive columns that are rendered. */
export interface ColumnRange {
  first: number;
  /** Column after the last one. */
  end: number;
}

interface Sizes {
  count: number;
  /** Width of a column; it is exact if the columns scroll. */
  columnPx: number;
  /** Width of the fixed first column. */
  namePx: number;
  /** Width of the grid; 0 = not known yet. */
  width: number;
}

/** Visible columns: all of them, unless they are wider than the grid. */
export function useColumns(scrolled: RefObject<HTMLDivElement | null>, { count, columnPx, namePx, width }: Sizes) {
  const scrolls = width > 0 && namePx + count * columnPx > width;
  // New keys make the virtualiser use a new width.
  const keyOf = useCallback((index: number) => `${columnPx} ${index}`, [columnPx]);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualiser's functions are not passed on
  const virtual = useVirtualizer({
    horizontal: true,
    count,
    enabled: scrolls,
    getScrollElement: () => scrolled.current,
    estimateSize: () => columnPx,
    getItemKey: keyOf,
    paddingStart: namePx,
    scrollPaddingStart: namePx,
    overscan: OVERSCAN,
  });
  const items = scrolls ? virtual.getVirtualItems() : [];
  const range: ColumnRange = scrolls
    ? { first: items[0]?.index ?? 0, end: (items.at(-1)?.index ?? -1) + 1 }
    : { first: 0, end: width > 0 ? count : Math.min(count, FIRST_COLUMNS) };
  return { ...range, scrolls, scrollToColumn: (index: number) => virtual.scrollToIndex(index) };
}
