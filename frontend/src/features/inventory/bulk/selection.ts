/** Maximum number of individually selected servers. "All matching" sends the filter instead. */
export const MAX_SELECTED_SERVERS = 10_000;

export interface Selection {
  /** True: all servers that match the filter are selected, loaded or not. */
  all: boolean;
  picked: ReadonlySet<string>;
  /** Last selected or cleared server, from which a range begins. */
  anchor: string | null;
}

export const NO_SELECTION: Selection = { all: false, picked: new Set(), anchor: null };

/** Handles a click on the checkbox of a row. @param range true selects all rows since the last click */
export function toggled(selection: Selection, id: string, rows: readonly { id: string }[], range: boolean): Selection {
  // "All matching" becomes all loaded rows except this row.
  const picked = new Set(selection.all ? rows.map((row) => row.id) : selection.picked);
  const on = !picked.has(id);
  const ids = range ? between(selection.anchor, id, rows) : [id];
  for (const each of ids) {
    if (!on) picked.delete(each);
    else if (picked.size < MAX_SELECTED_SERVERS) picked.add(each);
  }
  return { all: false, picked, anchor: id };
}

export function toggledAll(selection: Selection, rows: readonly { id: string }[]): Selection {
  if (stateOf(selection, rows) === 'all') return NO_SELECTION;
  return { all: false, picked: new Set(rows.slice(0, MAX_SELECTED_SERVERS).map(({ id }) => id)), anchor: null };
}

export const ALL: Selection = { all: true, picked: new Set(), anchor: null };

export const isSelected = ({ all, picked }: Selection, id: string): boolean => all || picked.has(id);

/** Returns whether all, some or none of the loaded rows are selected. */
export function stateOf(selection: Selection, rows: readonly { id: string }[]): 'none' | 'some' | 'all' {
  if (selection.all) return 'all';
  if (selection.picked.size === 0) return 'none';
  return rows.length > 0 && rows.every(({ id }) => selection.picked.has(id)) ? 'all' : 'some';
}

/** Deselects servers that are no longer in the list, for example deleted ones. The list must be completely loaded. */
export function keepExisting(selection: Selection, rows: readonly { id: string }[]): Selection {
  const ids = new Set(rows.map(({ id }) => id));
  const picked = new Set([...selection.picked].filter((id) => ids.has(id)));
  return picked.size === selection.picked.size ? selection : { ...selection, picked };
}

function between(from: string | null, to: string, rows: readonly { id: string }[]): string[] {
  const [start, end] = [rows.findIndex(({ id }) => id === from), rows.findIndex(({ id }) => id === to)];
  if (start < 0 || end < 0) return [to];
  return rows.slice(Math.min(start, end), Math.max(start, end) + 1).map(({ id }) => id);
}
