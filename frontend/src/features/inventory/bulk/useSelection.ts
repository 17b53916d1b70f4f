import { useState } from 'react';
import { NO_SELECTION, type Selection, keepExisting } from './selection';

/**
 * Manages the selected servers. Other filters clear the selection.
 * @param rows rows of a completely loaded list; null: more rows exist
 */
export function useSelection(
  filters: string,
  rows: readonly { id: string }[] | null,
): [Selection, (change: Selection | ((before: Selection) => Selection)) => void] {
  const [storedSelection, setStoredSelection] = useState({ filters, selection: NO_SELECTION });
  const known = storedSelection.filters === filters ? storedSelection.selection : NO_SELECTION;
  const selection = rows ? keepExisting(known, rows) : known;
  const set = (change: Selection | ((before: Selection) => Selection)) =>
    setStoredSelection((before) => {
      const present = before.filters === filters ? before.selection : NO_SELECTION;
      return { filters, selection: typeof change === 'function' ? change(present) : change };
    });
  return [selection, set];
}
