import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { isTransient, isUnauthorized } from '../../../../api/errors';
import { meQuery } from '../../../../api/queries/access/session';
import { fetchOutputWindow, type LogPlace, type WindowFilters } from '../../../../api/queries/runs/executions';
import { onSessionResumed } from '../../../../api/session-resume';
import { appendLines, continueAt, hasLaterLines, type LogWindow, prependLines, toLogWindow } from './log-window';

const WINDOW_LINES = 500;
/** While output is followed, a larger distance to its end is skipped. */
const MAX_BEHIND_LINES = 4_000;
/** Pause between reads while output is written, in ms: if it is followed, and otherwise. */
const READ_PACE_MS = { following: 250, away: 1_000 };
/** Retry delay after a transient error, in ms. Needed because no event may trigger another read. */
const RETRY_MS = 5_000;

export interface Log {
  /** Null: the first window is not loaded yet. */
  window: LogWindow | null;
  /** Place at which the window was opened. Changes when another part is opened. */
  opened: { place: LogPlace; serial: number } | null;
  error: unknown;
  open: (place: LogPlace) => void;
  /** Returns the position of the next line of standard error after a position; null = there is none. */
  findError: (after: number) => Promise<number | null>;
  readEarlier: () => void;
  readLater: () => void;
  retry: () => void;
}

/**
 * Part of the output of a run, of which more is read in both directions.
 * @param first place to open first; null = not known yet
 * @param written changes when output was written
 * @param following true = reads new output immediately
 */
export function useLogWindow(
  executionId: string,
  filters: WindowFilters,
  first: LogPlace | null,
  written: number,
  following: boolean,
): Log {
  const { stepKey, serverId, stream } = filters;
  const client = useQueryClient();
  const [state, setState] = useState<Pick<Log, 'window' | 'opened' | 'error'>>(NOTHING);
  /** Latest window, because several reads may end before the next rendering. */
  const current = useRef<LogWindow | null>(null);
  const reads = useRef({ stop: new AbortController(), busy: false, serial: 0, again: null as (() => void) | null });

  const read = useCallback(
    async (
      place: LogPlace,
      limit: number,
      join: (window: LogWindow, added: LogWindow) => LogWindow,
      newlyOpened?: Log['opened'],
    ) => {
      const { stop } = reads.current;
      reads.current.busy = true;
      try {
        const view = await fetchOutputWindow(executionId, { stepKey, serverId, stream }, place, limit, stop.signal);
        if (stop.signal.aborted) return;
        const added = toLogWindow(view);
        current.current = current.current ? join(current.current, added) : added;
        reads.current.again = null;
        setState(({ opened }) => ({ window: current.current, opened: newlyOpened ?? opened, error: null }));
      } catch (error) {
        if (stop.signal.aborted) return;
        reads.current.again ??= () => void read(place, limit, join);
        if (isUnauthorized(error)) void client.invalidateQueries({ queryKey: meQuery.queryKey });
        setState((before) => ({ ...before, error }));
        if (isTransient(error)) window.setTimeout(() => !stop.signal.aborted && reads.current.again?.(), RETRY_MS);
      } finally {
        if (reads.current.stop === stop) reads.current.busy = false;
      }
    },
    [client, executionId, stepKey, serverId, stream],
  );

  const open = useCallback(
    (place: LogPlace) => {
      // Lines that are loaded only come into view.
      if ('around' in place && current.current?.lines.some(({ position }) => position === place.around)) {
        reads.current.serial += 1;
        const { serial } = reads.current;
        setState((before) => ({ ...before, opened: { place, serial } }));
        return;
      }
      reads.current.stop.abort();
      reads.current.stop = new AbortController();
      reads.current.again = () => open(place);
      reads.current.serial += 1;
      void read(place, WINDOW_LINES, (_, opened) => opened, { place, serial: reads.current.serial });
    },
    [read],
  );

  const findError = useCallback(
    async (after: number) => {
      const filtersOfErrors = { stepKey, serverId, stream: 'stderr' } as const;
      for (let from: number | null = after + 1; from !== null; ) {
        const found = toLogWindow(
          await fetchOutputWindow(executionId, filtersOfErrors, { from }, 1, reads.current.stop.signal),
        );
        const [line] = found.lines;
        if (line) return line.position;
        // A search of a long output continues where the server has stopped.
        from = found.next !== null && found.next > from ? found.next : null;
      }
      return null;
    },
    [executionId, stepKey, serverId],
  );

  const readEarlier = useCallback(() => {
    const before = current.current?.previous;
    if (reads.current.busy || before == null) return;
    void read({ before }, WINDOW_LINES, prependLines);
  }, [read]);

  const readLater = useCallback(() => {
    const from = current.current && continueAt(current.current);
    if (reads.current.busy || from === null || !current.current || !hasLaterLines(current.current)) return;
    void read({ from }, WINDOW_LINES, appendLines);
  }, [read]);

  /** Reads what was written since: all of it, or only how much there is. */
  const readWritten = useEffectEvent(async () => {
    const loaded = current.current;
    if (!loaded) return;
    const from = continueAt(loaded);
    if (from === null) return;
    if (!following) return void (await read({ from: loaded.last + 1 }, 1, noteLength));
    if (loaded.last - from > MAX_BEHIND_LINES) return open({ tail: WINDOW_LINES });
    await read({ from }, 2 * WINDOW_LINES, appendLines);
  });

  useEffect(() => {
    current.current = null;
    setState(NOTHING);
    const owned = reads.current;
    return () => owned.stop.abort();
  }, [executionId, stepKey, serverId, stream]);

  const firstKey = JSON.stringify(first);
  useEffect(() => {
    const place = JSON.parse(firstKey) as LogPlace | null;
    if (place) open(place);
  }, [open, firstKey]);

  const timer = useRef(0);
  const schedule = useEffectEvent(() => {
    timer.current ||= window.setTimeout(
      () => {
        timer.current = 0;
        if (reads.current.busy) schedule();
        else void readWritten();
      },
      READ_PACE_MS[following ? 'following' : 'away'],
    );
  });
  /** Window after which more is to be read at once; null = it is at the end, or not followed. */
  const behind = following && state.window !== null && hasLaterLines(state.window) ? state.window : null;
  useEffect(() => {
    if (written > 0 || behind) schedule();
  }, [written, following, behind]);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  useEffect(() => onSessionResumed(() => reads.current.again?.()), []);

  return { ...state, open, findError, readEarlier, readLater, retry: () => reads.current.again?.() };
}

const NOTHING: Pick<Log, 'window' | 'opened' | 'error'> = { window: null, opened: null, error: null };

const noteLength = (window: LogWindow, { last, next }: LogWindow): LogWindow => ({
  ...window,
  last: Math.max(window.last, last),
  next: window.next !== null && next === null && window.next > last ? null : window.next,
});
