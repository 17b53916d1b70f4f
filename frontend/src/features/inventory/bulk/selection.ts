/** Most servers that can be picked one by one; all that fit a filter are named by the filter. */
export const MOST_PICKED = 10_000;

/** Which servers of a list are selected. */
export interface Selection {
  /** All that the filter leaves, loaded or not. */
  all: boolean;
  picked: ReadonlySet<string>;
  /** The one that was picked or left out last: where a range begins. */
  anchor: string | null;
}

export const NOTHING: Selection = { all: false, picked: new Set(), anchor: null };

/** What a click on the box of a row changes. @param range whether all rows since the last click are meant */
export function toggled(selection: Selection, id: string, rows: readonly { id: string }[], range: boolean): Selection {
  // What was all that the filter leaves becomes what is loaded of it, without this one.
  const picked = new Set(selection.all ? rows.map((row) => row.id) : selection.picked);
  const on = !picked.has(id);
  const ids = range ? between(selection.anchor, id, rows) : [id];
  for (const each of ids) {
    if (!on) picked.delete(each);
    else if (picked.size < MOST_PICKED) picked.add(each);
  }
  return { all: false, picked, anchor: id };
}

/** Selects all loaded rows, or nothing where they are selected already. */
export function toggledAll(selection: Selection, rows: readonly { id: string }[]): Selection {
  if (stateOf(selection, rows) === 'all') return NOTHING;
  return { all: false, picked: new Set(rows.slice(0, MOST_PICKED).map(({ id }) => id)), anchor: null };
}

export const ALL: Selection = { all: true, picked: new Set(), anchor: null };

export const isSelected = ({ all, picked }: Selection, id: string): boolean => all || picked.has(id);

/** How much of the loaded rows is selected. */
export function stateOf(selection: Selection, rows: readonly { id: string }[]): 'none' | 'some' | 'all' {
  if (selection.all) return 'all';
  if (selection.picked.size === 0) return 'none';
  return rows.length > 0 && rows.every(({ id }) => selection.picked.has(id)) ? 'all' : 'some';
}

/** Without what is in the list no more, as after a deletion; only a list that is loaded to its end can tell. */
export function stillThere(selection: Selection, rows: readonly { id: string }[]): Selection {
  const ids = new Set(rows.map(({ id }) => id));
  const picked = new Set([...selection.picked].filter((id) => ids.has(id)));
  return picked.size === selection.picked.size ? selection : { ...selection, picked };
}

function between(from: string | null, to: string, rows: readonly { id: string }[]): string[] {
  const [start, end] = [rows.findIndex(({ id }) => id === from), rows.findIndex(({ id }) => id === to)];
  if (start < 0 || end < 0) return [to];
  return rows.slice(Math.min(start, end), Math.max(start, end) + 1).map(({ id }) => id);
}
