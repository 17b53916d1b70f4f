import { VisuallyHidden } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useVirtualizer } from '@tanstack/react-virtual';
import { IconArrowDown } from '@tabler/icons-react';
import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { plural } from '../../../../ui/format/format';
import { ActionButton } from '../../../../ui/page/ActionButton';
import { GoToLine } from './GoToLine';
import { indexOfRow, toggledAt, toRows } from './log-rows';
import { hasLaterLines, type LogLine } from './log-window';
import { LogScrollbar } from './LogScrollbar';
import { OutputLine } from '../lines/OutputLine';
import classes from '../lines/output.module.css';
import { droppedText, type Line, type LineRange } from '../lines/line';
import type { Log } from './useLogWindow';

const LINE_PX = 20;
const PADDING_PX = 6;
/** Distance to the end of the loaded lines at which more are read. */
const READ_AHEAD_PX = 3_000;
const NEAR_END_PX = 24;
const TAIL_LINES = 500;
const NO_LINES: readonly LogLine[] = [];

interface Props {
  log: Log;
  following: boolean;
  /** Called when the user scrolls away from the end of a growing log, or back to it. */
  onFollow: (following: boolean) => void;
  live: boolean;
  timeOf: (line: Line) => string | null;
  wrap: boolean;
  /** Whether to show unmodified lines: without folds and sections, and with all states of a progress bar. */
  raw: boolean;
  /** Positions of the lines to highlight. */
  marked: LineRange | null;
  searchTerm: string;
  originOf: ((line: Line) => string) | null;
  onSelectLine: (line: Line, isRange: boolean) => void;
}

/** Loaded part of a log, with one scroll bar for the whole log. */
export function LogView(props: Props) {
  const { log, following, onFollow, live, timeOf, wrap, raw, marked, searchTerm, originOf, onSelectLine } = props;
  const { window: loaded, opened } = log;
  const lines = loaded?.lines ?? NO_LINES;
  /** Line to which a key moved. */
  const [found, setFound] = useState<number | null>(null);
  const [toggled, setToggled] = useState<ReadonlySet<number>>(new Set());
  const highlighted = found === null ? marked : { from: found, to: found };
  const { from: markedFrom, to: markedTo } = highlighted ?? { from: 0, to: 0 };
  const rows = useMemo(
    () =>
      raw
        ? lines.map((line) => ({ line, position: line.position, last: line.position, hidden: undefined }))
        : toRows(lines, { toggled, visible: { from: markedFrom, to: markedTo } }),
    [lines, raw, toggled, markedFrom, markedTo],
  );
  const scroll = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- the virtualiser's functions are not passed on
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: (index) => (rows[index]?.line.dropped ? 2 * LINE_PX : LINE_PX),
    getItemKey: (index) => rows[index]?.position ?? index,
    overscan: 30,
    paddingStart: PADDING_PX,
    paddingEnd: PADDING_PX,
  });
  const height = virtual.getTotalSize();
  /** Line at the top of the view, and how far it is scrolled above. Keeps the text in place when lines are added. */
  const anchor = useRef<{ position: number; offset: number } | null>(null);
  const lastSerial = useRef(0);
  const [top, setTop] = useState(1);

  const startOf = (index: number) => virtual.measurementsCache[index]?.start ?? PADDING_PX;
  const noteTop = () => {
    const element = scroll.current;
    const first = element && virtual.getVirtualItemForOffset(element.scrollTop);
    const row = first && rows[first.index];
    if (!element || !row) return;
    anchor.current = { position: row.position, offset: element.scrollTop - first.start };
    setTop(row.position);
  };

  useLayoutEffect(() => {
    const element = scroll.current;
    if (!element || !opened || rows.length === 0) return;
    if (following) {
      element.scrollTop = element.scrollHeight;
    } else if (lastSerial.current !== opened.serial) {
      const { place } = opened;
      if ('tail' in place) element.scrollTop = element.scrollHeight;
      else if ('around' in place)
        element.scrollTop = startOf(indexOfRow(rows, place.around)) - element.clientHeight / 2;
      else element.scrollTop = 0;
    } else if (anchor.current) {
      const { position, offset } = anchor.current;
      const target = startOf(indexOfRow(rows, position)) + offset;
      if (Math.abs(element.scrollTop - target) > 1) element.scrollTop = target;
    }
    lastSerial.current = opened.serial;
    noteTop();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only added lines move the text
  }, [rows, opened, following, height]);

  /** Number of the last line when the user left the end. */
  const [seen, setSeen] = useState<number | null>(null);
  const leaveEnd = () => {
    if (following && loaded) setSeen(loaded.last);
    onFollow(false);
  };
  const lastTop = useRef(0);
  const onScroll = () => {
    const element = scroll.current;
    if (!element || !loaded) return;
    const isUp = element.scrollTop < lastTop.current;
    lastTop.current = element.scrollTop;
    noteTop();
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (element.scrollTop < READ_AHEAD_PX) log.readEarlier();
    if (below < READ_AHEAD_PX && !following) log.readLater();
    // Growth never scrolls up, so an upward scroll comes from the user.
    if (following && isUp && below > NEAR_END_PX) leaveEnd();
    else if (!following && live && !isUp && below < NEAR_END_PX && !hasLaterLines(loaded)) onFollow(true);
  };
  // Lines that fit into the view cause no scroll event.
  useEffect(() => {
    const element = scroll.current;
    if (element && log.error === null && element.scrollHeight < element.clientHeight + READ_AHEAD_PX) {
      log.readEarlier();
      if (!following) log.readLater();
    }
  }, [log, following]);

  /** Folded lines are visible too. */
  const countVisible = () => {
    const { scrollTop = 0, clientHeight = 0 } = scroll.current ?? {};
    const bottom = virtual.getVirtualItemForOffset(scrollTop + clientHeight);
    const last = (bottom && rows[bottom.index]?.last) ?? top;
    return Math.max(1, Math.floor(clientHeight / LINE_PX), last - top + 1);
  };
  const jump = (position: number) => {
    leaveEnd();
    log.open({ around: position });
  };
  const goToEnd = () => {
    setSeen(null);
    if (live) onFollow(true);
    log.open({ tail: TAIL_LINES });
  };
  const toggle = useCallback((range: LineRange) => setToggled((before) => toggledAt(before, range)), []);
  const [isAsking, setAsking] = useState(false);
  const goToLine = (position: number) => {
    setAsking(false);
    scroll.current?.focus();
    setFound(position);
    jump(position);
  };
  const goToNextError = async () => {
    const position = await log.findError(found ?? top - 1).catch(() => null);
    if (position === null) {
      notifications.show({ message: 'No later line of standard error.' });
      return;
    }
    setFound(position);
    jump(position);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Home' || event.key === 'g') {
      leaveEnd();
      log.open({ from: 1 });
    } else if (event.key === 'End' || event.key === 'G') goToEnd();
    else if (event.key === 'e') void goToNextError();
    else if (event.key === ':') setAsking(true);
    else if (event.key === '/') scroll.current?.closest('section')?.querySelector('input')?.focus();
    else return;
    event.preventDefault();
  };
  const select = useCallback(
    (line: Line, isRange: boolean) => {
      setFound(null);
      onSelectLine(line, isRange);
    },
    [onSelectLine],
  );
  if (!loaded) return null;
  const isWhole = loaded.previous === null && !hasLaterLines(loaded);
  const fresh = !following && seen !== null ? loaded.last - seen : 0;

  return (
    <div className={classes.frame}>
      <div
        ref={scroll}
        id="log-lines"
        className={`${classes.scroll} ${classes.log} ${wrap ? classes.wrapping : ''}`}
        style={{ height: isWhole ? `min(${height}px, var(--most))` : 'var(--most)' }}
        role="region"
        aria-label="Output lines"
        aria-keyshortcuts="/ : e g Shift+G Home End"
        aria-describedby="log-keys"
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div className={classes.body} style={{ height }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => {
            const row = rows[index];
            if (!row) return null;
            const { line } = row;
            return (
              <div
                key={key}
                data-index={index}
                ref={wrap ? virtual.measureElement : undefined}
                className={classes.floating}
                style={{ transform: `translateY(${start}px)` }}
              >
                {line.dropped && (
                  <div className={classes.dropped} role="note">
                    {droppedText(line.dropped)} exceeded the output limit and were discarded here.
                  </div>
                )}
                <OutputLine
                  line={line}
                  origin={originOf?.(line) ?? null}
                  timeOf={timeOf}
                  searchTerm={searchTerm}
                  marked={line.position >= markedFrom && line.position <= markedTo}
                  raw={raw}
                  hidden={row.hidden}
                  onToggle={toggle}
                  onSelectLine={select}
                />
              </div>
            );
          })}
        </div>
      </div>
      <VisuallyHidden id="log-keys">
        Keys: / searches, : goes to a line by its number, e goes to the next line of standard error, g to the beginning,
        G to the end.
      </VisuallyHidden>
      {isAsking && (
        <GoToLine first={loaded.first} last={loaded.last} onGo={goToLine} onClose={() => setAsking(false)} />
      )}
      <LogScrollbar
        first={loaded.first}
        last={loaded.last}
        top={following ? loaded.last : top}
        visible={countVisible()}
        settled={log.error ?? opened?.serial}
        onJump={jump}
      />
      {fresh > 0 && (
        <div className={classes.new}>
          <ActionButton icon={IconArrowDown} variant="filled" radius="xl" onClick={goToEnd}>
            {plural(fresh, 'new line')}
          </ActionButton>
        </div>
      )}
    </div>
  );
}
