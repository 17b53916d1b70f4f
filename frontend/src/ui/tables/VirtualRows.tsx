import { Paper, type PaperProps } from '@mantine/core';
import { defaultRangeExtractor, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import {
  type ComponentProps,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import type { ListState } from './DataTable';
import classes from './virtual-table.module.css';

/** The next page is requested when this many loaded rows remain below the visible ones. */
const AHEAD = 60;

/** Scroll position and row heights of the list that was closed last. */
let left: { list: string; offset: number; measured: VirtualItem[] } | null = null;

export interface RowScroller {
  scrollToRow: (index: number) => void;
}

interface Props<T> {
  rows: readonly T[];
  rowKey: (row: T) => string | number;
  /** Height of a row; estimated, unless `fixedHeight` is set. */
  rowPx: number;
  /** Whether all rows have the same height. Measuring rows slows down scrolling. */
  fixedHeight?: boolean;
  rowClass: (row: T) => string;
  renderRow: (row: T, index: number) => ReactNode;
  /** Number of header rows in `head`. */
  headRows?: number;
  head: ReactNode;
  headClass?: string;
  more?: ListState<T>['more'];
  onVisibleRows?: (rows: readonly T[]) => void;
  /** Identifies the list, to restore its scroll position when the user returns to it. */
  restoreKey?: string;
  scroller?: Ref<RowScroller>;
  /** Receives the scrolled element. */
  scrolled?: RefObject<HTMLDivElement | null>;
  frame: PaperProps & ComponentProps<'div'>;
  table: ComponentProps<'div'>;
  body?: ComponentProps<'div'>;
}

/** Scrollable table or grid that renders only visible rows. `table` contains its role and ARIA attributes. */
export function VirtualRows<T>(props: Props<T>) {
  const { rows, rowKey, rowPx, rowClass, renderRow, headRows = 1, head, headClass = '', more, onVisibleRows } = props;
  const { restoreKey, scroller, frame, table, body, fixedHeight = false } = props;
  const ownScrolled = useRef<HTMLDivElement>(null);
  const scrolled = props.scrolled ?? ownScrolled;
  const [back] = useState(() => (left?.list === restoreKey ? left : null));
  const [focused, setFocused] = useState<number | null>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualiser's functions are not passed on
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrolled.current,
    getItemKey: (index) => (rows[index] === undefined ? index : rowKey(rows[index])),
    estimateSize: () => rowPx,
    initialOffset: back?.offset ?? 0,
    initialMeasurementsCache: back?.measured ?? [],
    overscan: fixedHeight ? 6 : 12,
    scrollPaddingStart: 40,
    // Keeps the focused row rendered. Otherwise scrolling the row away would lose the focus.
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      if (focused === null || focused >= rows.length || indexes.includes(focused)) return indexes;
      return [...indexes, focused].sort((one, other) => one - other);
    },
  });
  useEffect(
    () => () => {
      if (restoreKey !== undefined)
        left = { list: restoreKey, offset: virtual.scrollOffset ?? 0, measured: virtual.measurementsCache };
    },
    [virtual, restoreKey],
  );
  useImperativeHandle(scroller, () => ({ scrollToRow: (index) => virtual.scrollToIndex(index) }), [virtual]);
  const first = virtual.range?.startIndex ?? 0;
  const last = virtual.range?.endIndex ?? 0;
  const needsMore = more && !more.loading && last > rows.length - AHEAD;
  useEffect(() => {
    if (needsMore) more.load();
  }, [needsMore, more]);
  useEffect(() => onVisibleRows?.(rows.slice(first, last + 1)), [onVisibleRows, rows, first, last]);
  return (
    <Paper {...frame} ref={scrolled}>
      <div {...table}>
        <div role="rowgroup" className={`${classes.head} ${headClass}`}>
          {head}
        </div>
        <div
          role="rowgroup"
          {...body}
          className={classes.body}
          style={{ height: virtual.getTotalSize() }}
          onBlur={() => setFocused(null)}
          onFocus={(event) => {
            const row = event.target.closest<HTMLElement>('[data-index]');
            setFocused(row ? Number(row.dataset.index) : null);
          }}
        >
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <div
                  role="row"
                  aria-rowindex={index + headRows + 1}
                  key={String(key)}
                  data-index={index}
                  ref={fixedHeight ? undefined : virtual.measureElement}
                  className={`${classes.floating} ${rowClass(row)}`}
                  style={{ top: start }}
                >
                  {renderRow(row, index)}
                </div>
              )
            );
          })}
        </div>
      </div>
    </Paper>
  );
}
