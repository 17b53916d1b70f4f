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
  lines: readonly Line[];
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
  /** Where lines without an end stand in `lines`, by origin and number. */
  open: ReadonlyMap<string, number>;
}

export type OutputAction =
  | { type: 'reset' }
  | { type: 'page'; page: OutputPage; spent: boolean }
  | { type: 'failed'; error: unknown }
  | { type: 'loading' };

export const NO_OUTPUT: OutputState = {
  lines: [],
  after: null,
  complete: false,
  loading: true,
  percent: 0,
  more: false,
  error: null,
  open: new Map(),
};

export function outputReducer(state: OutputState, action: OutputAction): OutputState {
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
      const joined = items.length > 0 ? join(state, items) : null;
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
function join(state: OutputState, items: readonly OutputItem[]): Pick<OutputState, 'lines' | 'open'> {
  const lines = state.lines.slice();
  const open = new Map(state.open);
  for (const item of items) {
    const key = `${item.serverId} ${item.stepKey} ${item.stream} ${item.line}`;
    const place = item.continues ? open.get(key) : undefined;
    const begun = place === undefined ? undefined : lines[place];
    if (place !== undefined && begun) lines[place] = { ...begun, text: begun.text + item.text };
    else lines.push(toLine(item));
    if (!item.partial) open.delete(key);
    else if (place === undefined) open.set(key, lines.length - 1);
  }
  return { lines, open };
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
