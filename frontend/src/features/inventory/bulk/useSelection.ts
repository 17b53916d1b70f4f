import { useState } from 'react';
import { NOTHING, type Selection, stillThere } from './selection';

/**
 * Which servers are selected under these filters; with others nothing is.
 * @param rows of a list that is loaded to its end; null: there are more
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
