export interface Change {
  /** Successive changes of one group are undone together; null: the change is always undone alone. */
  group: string | null;
  /** Label of the change, such as `new step “deploy”`. */
  what: string;
}

interface Entry<T> extends Change {
  values: T;
  /** Time of the last change in the entry, in ms. */
  at: number;
}

/** Changes to undo and redo, latest last. */
export interface EditHistory<T> {
  past: readonly Entry<T>[];
  redoEntries: readonly Entry<T>[];
}

/** Maximum number of entries, because each contains a complete plan. */
export const MAX_ENTRIES = 100;

/** Pause in typing that starts a new entry, in ms. */
export const PAUSE_MS = 1000;

export const noHistory = <T>(): EditHistory<T> => ({ past: [], redoEntries: [] });

interface HistoryEntry<T> extends Change {
  before: T;
  after: T;
  at: number;
  /** Changes of one group within this time form one entry, in ms. */
  pause: number;
}

/** Adds a change. A group of changes that restores its initial state leaves no entry. */
export function recorded<T>(
  { past, redoEntries }: EditHistory<T>,
  { before, after, at, pause, ...change }: HistoryEntry<T>,
): EditHistory<T> {
  const last = past.at(-1);
  const goesOn =
    last !== undefined &&
    redoEntries.length === 0 &&
    change.group !== null &&
    last.group === change.group &&
    at - last.at < pause;
  if (!goesOn) return { past: [...past, { ...change, values: before, at }].slice(-MAX_ENTRIES), redoEntries: [] };
  const rest = past.slice(0, -1);
  return { past: isSame(last.values, after) ? rest : [...rest, { ...last, at }], redoEntries: [] };
}

/** Closes the last entry, so that the next change starts a new one. */
export function sealed<T>(history: EditHistory<T>): EditHistory<T> {
  const last = history.past.at(-1);
  return last ? { ...history, past: [...history.past.slice(0, -1), { ...last, at: -Infinity }] } : history;
}

interface Step<T> {
  history: EditHistory<T>;
  values: T;
  what: string;
}

/** Null: nothing to undo. */
export function undoStep<T>(history: EditHistory<T>, current: T): Step<T> | null {
  const last = history.past.at(-1);
  if (!last) return null;
  const entry = { ...last, values: current };
  const left = sealed({ past: history.past.slice(0, -1), redoEntries: [...history.redoEntries, entry] });
  return { history: left, values: last.values, what: last.what };
}

/** Null: nothing to redo. */
export function redoStep<T>(history: EditHistory<T>, current: T): Step<T> | null {
  const next = history.redoEntries.at(-1);
  if (!next) return null;
  const entry = { ...next, values: current };
  const left = sealed({ past: [...history.past, entry], redoEntries: history.redoEntries.slice(0, -1) });
  return { history: left, values: next.values, what: next.what };
}

/** Comparing as JSON suffices: form values are plain data whose fields keep their order. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
