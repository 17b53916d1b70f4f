import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { OutputLine } from '../lines/OutputLine';
import classes from '../lines/output.module.css';
import type { Line } from '../lines/line';

const LINE_PX = 20;
const PADDING_PX = 6;

interface Props {
  lines: readonly Line[];
  /** Number of earlier lines that were dropped. */
  dropped: number;
  timeOf: (line: Line) => string | null;
  wrap: boolean;
  searchTerm: string;
  originOf: ((line: Line) => string) | null;
  onSelectLine: (line: Line) => void;
}

export function OutputLines({ lines, dropped, timeOf, wrap, searchTerm, originOf, onSelectLine }: Props) {
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
                    timeOf={timeOf}
                    searchTerm={searchTerm}
                    marked={false}
                    onSelectLine={onSelectLine}
                  />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}
