import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { isUnauthorized, isTransient } from '../../../../api/errors';
import { fetchOutput, type OutputFilters } from '../../../../api/queries/runs/executions';
import { meQuery } from '../../../../api/queries/access/session';
import { onSessionResumed } from '../../../../api/session-resume';
import { createReadBudget } from './read-budget';
import { NO_OUTPUT, type OutputAction, outputReducer, type OutputState } from './run-output.reducer';

/** Small, so that something is visible quickly. */
const FIRST_PAGE = 500;
const NEXT_PAGES = 5_000;
const READ_PACE_MS = 150;
/** Retry delay after a transient error, in ms. Needed because no event may trigger another read. */
const RETRY_MS = 5_000;

export interface Output extends OutputState {
  readMore: () => void;
}

/**
 * Lines of the run that match the filters, page by page. A page covers a part of the output and may contain no line.
 * Loading continues until everything was scanned or the budget is spent. Each change of `written` loads what was
 * written since. Active and finished runs are read in the same way, so no line is lost or repeated in between.
 */
export function useOutput(executionId: string, filters: OutputFilters, written: number): Output {
  const { stepKey, serverId, stream, q } = filters;
  const client = useQueryClient();
  const [state, dispatch] = useReducer(
    (before: OutputState, action: OutputAction) => outputReducer(before, action),
    NO_OUTPUT,
  );
  const loadRef = useRef<((more?: boolean) => void) | null>(null);

  useEffect(() => {
    const stop = new AbortController();
    const budget = createReadBudget();
    let after: string | null = null;
    let [busy, again, complete] = [false, false, false];
    let timer = 0;
    const retry = () => loadRef.current?.();

    async function run(): Promise<void> {
      busy = true;
      do {
        again = false;
        let behind = true;
        while (behind && !complete && !budget.isSpent()) {
          const limit: number = after === null ? FIRST_PAGE : NEXT_PAGES;
          const page = await fetchOutput(executionId, { stepKey, serverId, stream, q }, after, limit, stop.signal);
          if (stop.signal.aborted) return;
          behind = page.readPercent < 100;
          after = page.nextAfter ?? after;
          complete = page.nextAfter === null;
          budget.take(page.items);
          dispatch({ type: 'page', page, spent: budget.isSpent() });
        }
        if (again) await new Promise((resolve) => window.setTimeout(resolve, READ_PACE_MS));
      } while (again && !stop.signal.aborted);
      busy = false;
    }

    loadRef.current = (more = false) => {
      window.clearTimeout(timer);
      if (more) budget.extend();
      again = true;
      if (busy || complete) return;
      run().catch((error: unknown) => {
        busy = false;
        if (stop.signal.aborted) return;
        if (isUnauthorized(error)) void client.invalidateQueries({ queryKey: meQuery.queryKey });
        dispatch({ type: 'failed', error });
        if (isTransient(error)) timer = window.setTimeout(retry, RETRY_MS);
      });
    };
    dispatch({ type: 'reset' });
    return () => {
      window.clearTimeout(timer);
      stop.abort();
    };
  }, [client, executionId, stepKey, serverId, stream, q]);

  useEffect(() => loadRef.current?.(), [executionId, stepKey, serverId, stream, q, written]);

  useEffect(() => onSessionResumed(() => loadRef.current?.()), []);

  const readMore = useCallback(() => {
    dispatch({ type: 'loading' });
    loadRef.current?.(true);
  }, []);
  return { ...state, readMore };
}
