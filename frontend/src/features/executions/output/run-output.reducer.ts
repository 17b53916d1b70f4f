import type { OutputItem, OutputPage } from '../../../api/types';

/** A whole line of output as the view draws it. */
export interface Line {
  stepKey: string;
  serverId: string;
  serverName: string;
  stream: 'stdout' | 'stderr';
  /** Number of the line on this host in this step, from 1. */
  number: number;
  text: string;
  at: string;
}

export interface OutputState {
  /** The latest lines that were read, as many as a page can hold. */
  lines: readonly Line[];
  /** How many earlier lines were read and let go. */
  dropped: number;
  /** Characters of `lines`. */
  characters: number;
  /** Where to read on; null before the first page. */
  after: string | null;
  /** The run is finished and everything was read. */
  complete: boolean;
  /** The server holds more than was read, and it is being read. */
  loading: boolean;
  /** How much of what the server holds was looked at, in percent: a search may look at much and find little. */
  percent: number;
  /** It was read as far ahead as is done without being asked, and there is more. */
  more: boolean;
  error: unknown;
  /** Where lines without an end stand, counted from the first line that was read, by origin and number. */
  open: ReadonlyMap<string, number>;
}

export type OutputAction =
  | { type: 'reset' }
  | { type: 'page'; page: OutputPage; spent: boolean }
  | { type: 'failed'; error: unknown }
  | { type: 'loading' };

/** What one page keeps: beyond, the earliest lines go. */
export interface Room {
  lines: number;
  characters: number;
}

const ROOM: Room = { lines: 200_000, characters: 50_000_000 };
/** Lines go in portions, so that a view that is being read does not move with each one, as a share of the room. */
const PORTION = 0.1;

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

export function outputReducer(state: OutputState, action: OutputAction, room: Room = ROOM): OutputState {
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
      const joined = items.length > 0 ? letGo({ ...state, ...join(state, items) }, room) : null;
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

/** Adds items; the rest of a line whose beginning is known goes onto it. */
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

/** Lets the earliest lines go when there is no room for all. */
function letGo(state: OutputState, room: Room): OutputState {
  if (state.lines.length <= room.lines && state.characters <= room.characters) return state;
  let { characters } = state;
  let count = 0;
  const left = { lines: room.lines * (1 - PORTION), characters: room.characters * (1 - PORTION) };
  // The last line stays, however long it is.
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
