import type { OutputItem, OutputPage } from '../../../../api/types';
import type { Line } from '../lines/line';

export interface OutputState {
  /** Latest loaded lines, up to the capacity. */
  lines: readonly Line[];
  /** Number of earlier lines that were loaded and dropped. */
  dropped: number;
  characters: number;
  /** Cursor for the next page; null before the first page. */
  after: string | null;
  /** The run is finished and all output was loaded. */
  complete: boolean;
  /** The server has more, which is being loaded. */
  loading: boolean;
  /** Share of the output that was scanned, in percent. A search may scan much and find little. */
  percent: number;
  /** The read budget is spent, but there is more. */
  more: boolean;
  error: unknown;
  /** Absolute index of each incomplete line, by origin and line number. */
  open: ReadonlyMap<string, number>;
}

export type OutputAction =
  | { type: 'reset' }
  | { type: 'page'; page: OutputPage; spent: boolean }
  | { type: 'failed'; error: unknown }
  | { type: 'loading' };

/** Amount to keep in memory. Above it, the earliest lines are dropped. */
export interface OutputCapacity {
  lines: number;
  characters: number;
}

const OUTPUT_CAPACITY: OutputCapacity = { lines: 200_000, characters: 50_000_000 };
/** Share of the capacity to drop at a time, so that the view does not move with each new line. */
const DROP_SHARE = 0.1;

export const NO_OUTPUT: OutputState = {
  lines: [],
  dropped: 0,
  characters: 0,
  after: null,
  complete: false,
  loading: true,
  percent: 0,
  more: false,
  error: null,
  open: new Map(),
};

export function outputReducer(
  state: OutputState,
  action: OutputAction,
  capacity: OutputCapacity = OUTPUT_CAPACITY,
): OutputState {
  switch (action.type) {
    case 'reset':
      return NO_OUTPUT;
    case 'loading':
      return { ...state, loading: true, more: false, error: null };
    case 'failed':
      return { ...state, loading: false, error: action.error };
    case 'page': {
      const { items, nextAfter, readPercent } = action.page;
      const behind = readPercent < 100;
      const joined = items.length > 0 ? dropEarliest({ ...state, ...join(state, items) }, capacity) : null;
      return {
        ...state,
        ...joined,
        after: nextAfter ?? state.after,
        complete: nextAfter === null,
        loading: behind && !action.spent,
        percent: readPercent,
        more: behind && action.spent,
        error: null,
      };
    }
  }
}

/** Adds items. Appends a continuation to its line. */
function join(state: OutputState, items: readonly OutputItem[]): Pick<OutputState, 'lines' | 'open' | 'characters'> {
  const lines = state.lines.slice();
  const open = new Map(state.open);
  let { characters } = state;
  for (const item of items) {
    const key = `${item.serverId} ${item.stepKey} ${item.stream} ${item.line}`;
    const place = item.continues ? open.get(key) : undefined;
    const begun = place === undefined ? undefined : lines[place - state.dropped];
    if (place !== undefined && begun) lines[place - state.dropped] = { ...begun, text: begun.text + item.text };
    else lines.push(toLine(item));
    characters += item.text.length;
    if (!item.partial) open.delete(key);
    else if (place === undefined || !begun) open.set(key, state.dropped + lines.length - 1);
  }
  return { lines, open, characters };
}

function dropEarliest(state: OutputState, capacity: OutputCapacity): OutputState {
  if (state.lines.length <= capacity.lines && state.characters <= capacity.characters) return state;
  let { characters } = state;
  let count = 0;
  const left = { lines: capacity.lines * (1 - DROP_SHARE), characters: capacity.characters * (1 - DROP_SHARE) };
  // Keeps the last line, however long it is.
  while (count < state.lines.length - 1 && (state.lines.length - count > left.lines || characters > left.characters)) {
    characters -= state.lines[count]?.text.length ?? 0;
    count += 1;
  }
  const dropped = state.dropped + count;
  return {
    ...state,
    lines: state.lines.slice(count),
    dropped,
    characters,
    open: new Map([...state.open].filter(([, place]) => place >= dropped)),
  };
}

const toLine = ({ stepKey, serverId, serverName, stream, line, text, at }: OutputItem): Line => ({
  stepKey,
  serverId,
  serverName,
  stream,
  number: line,
  text,
  at,
});
