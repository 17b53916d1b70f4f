import { useState } from 'react';
import { NOTHING, type Selection, stillThere } from './selection';

/**
 * Selected servers; other filters clear the selection.
 * @param rows rows of a completely loaded list; null: more exist
 */
export function useSelection(
  filters: string,
  rows: readonly { id: string }[] | null,
): [Selection, (change: Selection | ((before: Selection) => Selection)) => void] {
  const [kept, setKept] = useState({ filters, selection: NOTHING });
  const known = kept.filters === filters ? kept.selection : NOTHING;
  const selection = rows ? stillThere(known, rows) : known;
  const set = (change: Selection | ((before: Selection) => Selection)) =>
    setKept((before) => {
      const present = before.filters === filters ? before.selection : NOTHING;
      return { filters, selection: typeof change === 'function' ? change(present) : change };
    });
  return [selection, set];
}
