import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { isUnauthorized, mayPass } from '../../../api/errors';
import { fetchOutput, type OutputFilters } from '../../../api/queries/executions';
import { meQuery } from '../../../api/queries/session';
import { NO_OUTPUT, outputReducer, type OutputState } from './run-output.reducer';

/** The first page is small, so that something stands there at once. */
const FIRST_PAGE = 500;
const NEXT_PAGES = 5_000;
/** What is read without being asked; beyond, a person says that they want more. Nobody reads so many hits. */
const READ_AHEAD = { lines: 200_000, hits: 5_000 };
/** Lines may be long: most characters kept without being asked. */
const READ_AHEAD_CHARACTERS = 50_000_000;
/** Reads during a run are at least this far apart, in ms. */
const PACE_MS = 150;
/** After a fault that may pass by itself it is tried again, in ms: nothing may be left to ring the bell. */
const AGAIN_MS = 5_000;

export interface Output extends OutputState {
  readMore: () => void;
}

/**
 * The output of a run that the filters leave, page by page. An answer covers a part of what the server holds, maybe
 * without a line in it; it goes on by itself until everything was looked at or enough was read. Each ring of `bell` reads what was written since: one way of
 * reading for running and finished runs alike, so nothing can be lost or doubled between two.
 */
export function useOutput(executionId: string, filters: OutputFilters, bell: number): Output {
  const { stepKey, serverId, stream, q } = filters;
  const client = useQueryClient();
  const [state, dispatch] = useReducer(outputReducer, NO_OUTPUT);
  const pump = useRef<((more?: boolean) => void) | null>(null);

  useEffect(() => {
    const stop = new AbortController();
    let after: string | null = null;
    const ahead = q ? READ_AHEAD.hits : READ_AHEAD.lines;
    let [read, characters] = [0, 0];
    let [budget, charactersBudget] = [ahead, READ_AHEAD_CHARACTERS];
    const isSpent = () => read >= budget || characters >= charactersBudget;
    let [busy, again, complete] = [false, false, false];
    let timer = 0;
    const goOn = () => pump.current?.();

    async function run(): Promise<void> {
      busy = true;
      do {
        again = false;
        let behind = true;
        while (behind && !complete && !isSpent()) {
          const limit: number = after === null ? FIRST_PAGE : NEXT_PAGES;
          const page = await fetchOutput(executionId, { stepKey, serverId, stream, q }, after, limit, stop.signal);
          if (stop.signal.aborted) return;
          behind = page.readPercent < 100;
          after = page.nextAfter ?? after;
          complete = page.nextAfter === null;
          read += page.items.length;
          characters += page.items.reduce((sum, { text }) => sum + text.length, 0);
          dispatch({ type: 'page', page, spent: isSpent() });
        }
        if (again) await new Promise((resolve) => window.setTimeout(resolve, PACE_MS));
      } while (again);
      busy = false;
    }

    pump.current = (more = false) => {
      window.clearTimeout(timer);
      if (more) [budget, charactersBudget] = [read + ahead, characters + READ_AHEAD_CHARACTERS];
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
    pump.current();
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [client, executionId, stepKey, serverId, stream, q]);

  useEffect(() => {
    if (bell > 0) pump.current?.();
  }, [bell]);

  const readMore = useCallback(() => {
    dispatch({ type: 'loading' });
    pump.current?.(true);
  }, []);
  return { ...state, readMore };
}
