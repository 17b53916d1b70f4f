import type { Server, ServerChange, ServerState } from '../../../api/types';
import { checkStyle, SERVER_STATES, type Tone } from '../../../ui/status/statuses';

const DAY_MS = 86_400_000;
/** Tones from the worst to the best. A day shows its worst state. */
const WORST_FIRST: readonly Tone[] = ['bad', 'warn', 'good', 'idle', 'muted'];

interface Segment {
  state: ServerState;
  from: number;
  to: number;
}

const isState = (value: string | null): value is ServerState => SERVER_STATES.some((state) => state === value);

/** Returns the known states of a server, newest first. Before the first change, the state is unknown. */
export function stateSegments(
  server: Pick<Server, 'state' | 'stateSince'>,
  changes: readonly ServerChange[],
  now: number,
): Segment[] {
  const segments: Segment[] = [];
  let to = now;
  for (const { name, at, before, after } of changes) {
    if (name !== 'state' || !isState(after)) continue;
    segments.push({ state: after, from: Date.parse(at), to });
    to = Date.parse(at);
    if (isState(before)) segments.push({ state: before, from: to, to });
  }
  if (segments.length > 0 || server.stateSince === null) return segments;
  return [{ state: server.state, from: Date.parse(server.stateSince), to: now }];
}

/** Returns the worst known state of each day in UTC; null = unknown. */
export function stateOfDays(segments: readonly Segment[], days: readonly string[]): (ServerState | null)[] {
  return days.map((day) => {
    const from = Date.parse(`${day}T00:00:00Z`);
    const states = segments.filter((each) => each.from < from + DAY_MS && each.to >= from).map(({ state }) => state);
    const rank = (state: ServerState) => WORST_FIRST.indexOf(checkStyle(state).tone);
    return states.toSorted((a, b) => rank(a) - rank(b))[0] ?? null;
  });
}
