import { type KeyboardEvent, useEffect, useRef, useState } from 'react';

export interface Place {
  row: number;
  column: number;
}

const MOVE_BY_KEY: Record<string, [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
};

const clamp = (value: number, most: number) => Math.max(0, Math.min(value, most));

/** Roving tabindex for a grid: arrow keys move the focus, Enter and Space select. */
export function useGridFocus(
  size: { rows: number; columns: number },
  scrollTo: (place: Place) => void,
  choose: (focusedCell: Place) => void,
) {
  const [focusedCell, setFocusedCell] = useState<Place>({ row: 0, column: 0 });
  const body = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const at = { row: clamp(focusedCell.row, size.rows - 1), column: clamp(focusedCell.column, size.columns - 1) };

  useEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    // The cell may not be rendered yet.
    const frame = requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>('[role=gridcell][tabindex="0"]')?.focus(),
    );
    return () => cancelAnimationFrame(frame);
  }, [focusedCell]);

  const go = (next: Place) => {
    moved.current = true;
    scrollTo(next);
    setFocusedCell(next);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') {
      choose(at);
      event.preventDefault();
      return;
    }
    const move = MOVE_BY_KEY[event.key];
    const end = event.key === 'Home' ? 0 : event.key === 'End' ? size.columns - 1 : null;
    if (!move && end === null) return;
    event.preventDefault();
    const [rows, columns] = move ?? [0, 0];
    go({ row: clamp(at.row + rows, size.rows - 1), column: end ?? clamp(at.column + columns, size.columns - 1) });
  };

  return { at, setFocusedCell, onKeyDown, ref: body };
}
