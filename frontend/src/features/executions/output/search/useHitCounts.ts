import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { isUnauthorized, isTransient } from '../../../../api/errors';
import { fetchHitCounts, type SearchFilters } from '../../../../api/queries/runs/executions';
import type { HitCountPage } from '../../../../api/types';
import { meQuery } from '../../../../api/queries/access/session';
import { onSessionResumed } from '../../../../api/session-resume';
import { type HitCountAction, type HitCounts, hitCountsReducer, NO_HITS } from './hit-counts.reducer';

/** Hits to count automatically. Afterwards the user must ask for more. */
const MAX_HITS = 100_000;
const READ_PACE_MS = 150;
/** Retry delay after a transient error, in ms. Needed because no event may trigger another read. */
const RETRY_MS = 5_000;

export interface HitSearch extends HitCounts {
  searchMore: () => void;
}

/**
 * Counts the hits of a search, part by part, until everything was searched or the limit is reached. Each change of
 * `written` searches what was written since.
 */
export function useHitCounts(executionId: string, filters: SearchFilters, written: number): HitSearch {
  const { stepKey, serverId, stream, q, regex, matchCase } = filters;
  const client = useQueryClient();
  const [state, dispatch] = useReducer(
    (before: HitCounts, action: HitCountAction) => hitCountsReducer(before, action),
    NO_HITS,
  );
  const loadRef = useRef<((more?: boolean) => void) | null>(null);

  useEffect(() => {
    const stop = new AbortController();
    let [hits, limit] = [0, MAX_HITS];
    let after: string | null = null;
    let [busy, again, complete] = [false, false, false];
    let timer = 0;
    const retry = () => loadRef.current?.();

    async function run(): Promise<void> {
      busy = true;
      do {
        again = false;
        let behind = true;
        while (behind && !complete && hits < limit) {
          const page: HitCountPage = await fetchHitCounts(
            executionId,
            { stepKey, serverId, stream, q, regex, matchCase },
            after,
            stop.signal,
          );
          if (stop.signal.aborted) return;
          behind = page.readPercent < 100;
          after = page.nextAfter ?? after;
          complete = page.nextAfter === null;
          hits += page.hits;
          dispatch({ type: 'page', page, spent: hits >= limit });
        }
        if (again) await new Promise((resolve) => window.setTimeout(resolve, READ_PACE_MS));
      } while (again && !stop.signal.aborted);
      busy = false;
    }

    loadRef.current = (more = false) => {
      window.clearTimeout(timer);
      if (more) limit = hits + MAX_HITS;
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
  }, [client, executionId, stepKey, serverId, stream, q, regex, matchCase]);

  useEffect(() => loadRef.current?.(), [executionId, stepKey, serverId, stream, q, regex, matchCase, written]);

  useEffect(() => onSessionResumed(() => loadRef.current?.()), []);

  const searchMore = useCallback(() => {
    dispatch({ type: 'loading' });
    loadRef.current?.(true);
  }, []);
  return { ...state, searchMore };
}
