/** What a change was about. */
export interface Change {
  /** Changes of the same group that follow one another closely are undone together; null: always by itself. */
  group: string | null;
  /** What is undone, such as `new step “deploy”`. */
  what: string;
}

interface Entry<T> extends Change {
  /** What to go back to. */
  values: T;
  /** When it was changed last. */
  at: number;
}

/** What can be undone and done again, the latest last. */
export interface EditHistory<T> {
  past: readonly Entry<T>[];
  future: readonly Entry<T>[];
}

/** Each entry is a whole plan. */
export const MOST_ENTRIES = 100;

/** Who pauses as long as this while typing has ended a thought. */
export const PAUSE_MS = 1000;

export const noHistory = <T>(): EditHistory<T> => ({ past: [], future: [] });

interface Recorded<T> extends Change {
  before: T;
  after: T;
  at: number;
  /** Changes of the group that are closer than this are one entry. */
  pause: number;
}

/** The history with a change. A group of changes that comes back to where it began leaves no entry. */
export function recorded<T>(
  { past, future }: EditHistory<T>,
  { before, after, at, pause, ...change }: Recorded<T>,
): EditHistory<T> {
  const last = past.at(-1);
  const goesOn =
    last !== undefined &&
    future.length === 0 &&
    change.group !== null &&
    last.group === change.group &&
    at - last.at < pause;
  if (!goesOn) return { past: [...past, { ...change, values: before, at }].slice(-MOST_ENTRIES), future: [] };
  const rest = past.slice(0, -1);
  return { past: isSame(last.values, after) ? rest : [...rest, { ...last, at }], future: [] };
}

/** The history whose last entry takes up nothing more. */
export function sealed<T>(history: EditHistory<T>): EditHistory<T> {
  const last = history.past.at(-1);
  return last ? { ...history, past: [...history.past.slice(0, -1), { ...last, at: -Infinity }] } : history;
}

interface Step<T> {
  history: EditHistory<T>;
  values: T;
  what: string;
}

/** One step back; null: there is none. */
export function undone<T>(history: EditHistory<T>, current: T): Step<T> | null {
  const last = history.past.at(-1);
  if (!last) return null;
  const entry = { ...last, values: current };
  const left = sealed({ past: history.past.slice(0, -1), future: [...history.future, entry] });
  return { history: left, values: last.values, what: last.what };
}

/** One step forward again; null: there is none. */
export function redone<T>(history: EditHistory<T>, current: T): Step<T> | null {
  const next = history.future.at(-1);
  if (!next) return null;
  const entry = { ...next, values: current };
  const left = sealed({ past: [...history.past, entry], future: history.future.slice(0, -1) });
  return { history: left, values: next.values, what: next.what };
}

/** Values of a form are plain data whose fields keep their order. */
export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);
