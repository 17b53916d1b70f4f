import { useCallback, useEffect, useRef, useState } from 'react';
import { fetchHits, type SearchFilters } from '../../../../api/queries/runs/executions';
import type { Hit, HitCount } from '../../../../api/types';
import { keyOfCell } from './hit-counts.reducer';
import type { LoadedHits } from './hit-order';

/** Requests for one page of hits: each of them scans a part of the output, which may have none. */
const MAX_REQUESTS = 30;

/**
 * Hits of a search, loaded page by page for each step and host.
 * @returns `load` loads the next page of a cell, and returns all its hits so far
 */
export function useHits(
  executionId: string,
  { stream, q, regex, matchCase }: Omit<SearchFilters, 'stepKey' | 'serverId'>,
) {
  const [loaded, setLoaded] = useState<LoadedHits>(new Map());
  const [error, setError] = useState<unknown>(null);
  const pages = useRef(new Map<string, { hits: readonly Hit[]; after: string | null; busy: Promise<void> | null }>());
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);

  const load = useCallback(
    async (cell: HitCount): Promise<readonly Hit[]> => {
      const key = keyOfCell(cell);
      const page = pages.current.get(key) ?? { hits: [], after: null, busy: null };
      pages.current.set(key, page);
      const read = async () => {
        const { stepKey, serverId } = cell;
        const before = page.hits.length;
        for (let requests = 0; page.hits.length === before && requests < MAX_REQUESTS; requests += 1) {
          const { items, nextAfter, readPercent } = await fetchHits(
            executionId,
            { stepKey, serverId, stream, q, regex, matchCase },
            page.after,
          );
          page.hits = [...page.hits, ...items];
          page.after = nextAfter ?? page.after;
          if (readPercent === 100) break;
        }
      };
      page.busy ??= read().finally(() => {
        page.busy = null;
      });
      try {
        await page.busy;
        if (!isGone.current) {
          setLoaded((all) => new Map(all).set(key, page.hits));
          setError(null);
        }
      } catch (failure) {
        if (!isGone.current) setError(failure);
      }
      return page.hits;
    },
    [executionId, stream, q, regex, matchCase],
  );
  return { loaded, error, load };
}
