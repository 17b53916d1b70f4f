import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import classes from '../lines/output.module.css';

/** Delay until the log follows a dragged thumb, in ms. */
const DRAG_PAUSE_MS = 100;
const MIN_THUMB_PERCENT = 4;

interface Props {
  /** Positions of the first and the last line of the log. */
  first: number;
  last: number;
  /** Position of the line at the top of the view. */
  top: number;
  /** Number of lines in the view. */
  visible: number;
  /** Changes when the log shows the position of a jump, or when the jump fails. */
  settled: unknown;
  onJump: (position: number) => void;
}

/** Scroll bar of the whole log, of which only a part is loaded. */
export function LogScrollbar({ first, last, top, visible, settled, onJump }: Props) {
  const track = useRef<HTMLDivElement>(null);
  const timer = useRef(0);
  const [dragged, setDragged] = useState<number | null>(null);
  const isHeld = useRef(false);
  /** Whether the log does not yet show the position of the thumb. */
  const isPending = useRef(false);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  // The thumb stays where it was dropped until the log has followed.
  useEffect(() => {
    if (timer.current !== 0) return;
    isPending.current = false;
    if (!isHeld.current) setDragged(null);
  }, [settled]);
  const total = last - first + 1;
  if (total <= visible) return null;
  const thumb = Math.max(MIN_THUMB_PERCENT, (100 * visible) / total);
  const share = Math.min(1, Math.max(0, ((dragged ?? top) - first) / Math.max(1, total - visible)));

  const positionAt = ({ clientY }: PointerEvent) => {
    const box = track.current?.getBoundingClientRect();
    if (!box) return first;
    const height = (box.height * thumb) / 100;
    const at = (clientY - box.top - height / 2) / (box.height - height);
    return Math.round(first + Math.min(1, Math.max(0, at)) * (total - 1));
  };
  const move = (event: PointerEvent) => {
    const position = positionAt(event);
    setDragged(position);
    isPending.current = true;
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      onJump(position);
    }, DRAG_PAUSE_MS);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const target = {
      ArrowUp: top - 1,
      ArrowDown: top + 1,
      PageUp: top - visible,
      PageDown: top + visible,
      Home: first,
      End: last,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onJump(Math.min(last, Math.max(first, target)));
  };

  return (
    <div
      ref={track}
      className={classes.track}
      role="scrollbar"
      tabIndex={0}
      aria-label="Position in the log"
      aria-controls="log-lines"
      aria-orientation="vertical"
      aria-valuemin={first}
      aria-valuemax={last}
      aria-valuenow={Math.min(last, Math.max(first, dragged ?? top))}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        isHeld.current = true;
        move(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) move(event);
      }}
      onLostPointerCapture={() => {
        isHeld.current = false;
        if (!isPending.current) setDragged(null);
      }}
    >
      <div className={classes.thumb} style={{ height: `${thumb}%`, insetBlockStart: `${share * (100 - thumb)}%` }} />
    </div>
  );
}
