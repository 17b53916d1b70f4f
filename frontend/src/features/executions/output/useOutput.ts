import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { isUnauthorized, mayPass } from '../../../api/errors';
import { fetchOutput, type OutputFilters } from '../../../api/queries/executions';
import { meQuery } from '../../../api/queries/session';
import { onSessionResumed } from '../../../api/session-end';
import { type Allowance, allowanceFor } from './read-allowance';
import { NO_OUTPUT, type OutputAction, outputReducer, type OutputState } from './run-output.reducer';

/** The first page is small, so that something stands there at once. */
const FIRST_PAGE = 500;
const NEXT_PAGES = 5_000;
/** Reads during a run are at least this far apart, in ms. */
const PACE_MS = 150;
/** After a fault that may pass by itself it is tried again, in ms: no event may come that asks for it. */
const AGAIN_MS = 5_000;

export interface Output extends OutputState {
  readMore: () => void;
}

/** How far output is read without being asked for more. */
export interface Reading {
  /** To the end, and on as more is written. */
  toEnd: boolean;
  /** At least to the line of this number. */
  marked: number | undefined;
  /** Another number reads anew from the beginning. */
  attempt: number;
}

/**
 * The output of a run that the filters leave, page by page. An answer covers a part of what the server holds, maybe
 * without a line in it; it goes on by itself until everything was looked at or enough was read. Each change of
 * `written` reads what was written since: one way of reading for running and finished runs alike, so nothing can be
 * lost or doubled between two.
 */
export function useOutput(executionId: string, filters: OutputFilters, reading: Reading, written: number): Output {
  const { stepKey, serverId, stream, q } = filters;
  const { toEnd, marked, attempt } = reading;
  const client = useQueryClient();
  const [state, dispatch] = useReducer(
    (before: OutputState, action: OutputAction) => outputReducer(before, action),
    NO_OUTPUT,
  );
  const pump = useRef<((more?: boolean) => void) | null>(null);
  const allowance = useRef<Allowance | null>(null);

  useEffect(() => {
    const stop = new AbortController();
    const allowed = (allowance.current = allowanceFor(q ? 'hits' : 'lines'));
    let after: string | null = null;
    let [busy, again, complete] = [false, false, false];
    let timer = 0;
    const goOn = () => pump.current?.();

    async function run(): Promise<void> {
      busy = true;
      do {
        again = false;
        let behind = true;
        while (behind && !complete && !allowed.isSpent()) {
          const limit: number = after === null ? FIRST_PAGE : NEXT_PAGES;
          const page = await fetchOutput(executionId, { stepKey, serverId, stream, q }, after, limit, stop.signal);
          if (stop.signal.aborted) return;
          behind = page.readPercent < 100;
          after = page.nextAfter ?? after;
          complete = page.nextAfter === null;
          allowed.take(page.items);
          dispatch({ type: 'page', page, spent: allowed.isSpent() });
        }
        if (again) await new Promise((resolve) => window.setTimeout(resolve, PACE_MS));
      } while (again && !stop.signal.aborted);
      busy = false;
    }

    pump.current = (more = false) => {
      window.clearTimeout(timer);
      if (more) allowed.extend();
      again = true;
      if (busy || complete) return;
      run().catch((error: unknown) => {
        busy = false;
        if (stop.signal.aborted) return;
        if (isUnauthorized(error)) void client.invalidateQueries({ queryKey: meQuery.queryKey });
        dispatch({ type: 'failed', error });
        if (mayPass(error)) timer = window.setTimeout(goOn, AGAIN_MS);
      });
    };
    dispatch({ type: 'reset' });
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [client, executionId, stepKey, serverId, stream, q, attempt]);

  useEffect(() => {
    allowance.current?.aim({ toEnd, marked });
    pump.current?.();
  }, [client, executionId, stepKey, serverId, stream, q, attempt, toEnd, marked]);

  useEffect(() => {
    if (written > 0) pump.current?.();
  }, [written]);

  useEffect(() => onSessionResumed(() => pump.current?.()), []);

  const readMore = useCallback(() => {
    dispatch({ type: 'loading' });
    pump.current?.(true);
  }, []);
  return { ...state, readMore };
}
