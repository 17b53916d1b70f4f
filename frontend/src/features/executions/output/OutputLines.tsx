import { useVirtualizer } from '@tanstack/react-virtual';
import { IconArrowDown } from '@tabler/icons-react';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { plural } from '../../../ui/format/format';
import { OutputLine } from './OutputLine';
import classes from './output.module.css';
import type { Line } from './run-output.reducer';
import { useFollow } from './useFollow';
import { ActionButton } from '../../../ui/page/ActionButton';

const LINE_PX = 20;
const PADDING_PX = 6;

interface Props {
  lines: readonly Line[];
  /** Number of earlier lines that were dropped. */
  dropped: number;
  live: boolean;
  times: boolean;
  wrap: boolean;
  searchTerm: string;
  marked: number | undefined;
  originOf: ((line: Line) => string) | null;
  onSelectLine: (line: Line) => void;
}

export function OutputLines({ lines, dropped, live, times, wrap, searchTerm, marked, originOf, onSelectLine }: Props) {
  const scroll = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualiser's functions are not passed on
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => LINE_PX,
    // A line keeps its key, and so its measured height, when earlier lines are dropped.
    getItemKey: (index) => dropped + index,
    overscan: 30,
    paddingStart: PADDING_PX,
    paddingEnd: PADDING_PX,
  });
  const follow = useFollow(scroll, dropped + lines.length, live && marked === undefined);
  useStableScroll(scroll, virtual.measurementsCache, dropped, !follow.following);
  const target = useMemo(
    () => (marked === undefined ? -1 : lines.findIndex(({ number }) => number === marked)),
    [lines, marked],
  );
  const lastScrolledLine = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (target < 0 || lastScrolledLine.current === marked) return;
    lastScrolledLine.current = marked;
    virtual.scrollToIndex(target, { align: 'center' });
  }, [target, marked, virtual]);

  return (
    <div className={classes.frame}>
      <div
        ref={scroll}
        className={`${classes.scroll} ${wrap ? classes.wrapping : ''}`}
        style={{ height: `min(${virtual.getTotalSize()}px, var(--most))` }}
        role="region"
        aria-label="Output lines"
        tabIndex={0}
      >
        <div className={classes.body} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            return (
              line && (
                <div
                  key={dropped + index}
                  data-index={index}
                  ref={wrap ? virtual.measureElement : undefined}
                  className={classes.floating}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <OutputLine
                    line={line}
                    origin={originOf?.(line) ?? null}
                    times={times}
                    searchTerm={searchTerm}
                    marked={index === target}
                    onSelectLine={onSelectLine}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
      {follow.fresh > 0 && (
        <div className={classes.new}>
          <ActionButton icon={IconArrowDown} variant="filled" radius="xl" onClick={follow.follow}>
            {plural(follow.fresh, 'new line')}
          </ActionButton>
        </div>
      )}
    </div>
  );
}

/** Keeps the visible lines in place when earlier lines are dropped. */
function useStableScroll(
  scroll: RefObject<HTMLElement | null>,
  places: readonly { start: number }[],
  dropped: number,
  enabled: boolean,
): void {
  const before = useRef({ dropped, places });
  useLayoutEffect(() => {
    const gone = dropped - before.current.dropped;
    const top = enabled && gone > 0 ? before.current.places[gone]?.start : undefined;
    if (scroll.current && top !== undefined) scroll.current.scrollBy({ top: PADDING_PX - top });
    before.current = { dropped, places };
  });
}
