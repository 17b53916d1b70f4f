import { type KeyboardEvent, useRef } from 'react';

const MOVE_BY_KEY: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 };

/**
 * Arrow keys move between checkboxes or names of rows. The target row may have to be rendered first. Tab still reaches
 * every control.
 * @param scrollToRow scrolls to the row with this index
 */
export function useRowKeys(rows: number, scrollToRow: (index: number) => void) {
  const body = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const control = target.closest<HTMLElement>('[data-control]')?.dataset.control;
    const from = target.closest<HTMLElement>('[data-index]')?.dataset.index;
    if (control === undefined || from === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const move = MOVE_BY_KEY[event.key];
    const end = event.key === 'Home' ? 0 : event.key === 'End' ? rows - 1 : null;
    if (move === undefined && end === null) return;
    event.preventDefault();
    const to = end ?? Math.max(0, Math.min(rows - 1, Number(from) + (move ?? 0)));
    scrollToRow(to);
    focusWhenRendered(() =>
      body.current?.querySelector<HTMLElement>(`[data-index="${to}"] [data-control="${control}"]`),
    );
  };
  return { ref: body, onKeyDown };
}

/** Retries for some frames, because a distant row is not rendered immediately. */
function focusWhenRendered(find: () => HTMLElement | null | undefined, tries = 10): void {
  requestAnimationFrame(() => {
    const found = find();
    if (found) found.focus({ preventScroll: true });
    else if (tries > 0) focusWhenRendered(find, tries - 1);
  });
}
