import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useRef, useState } from 'react';
import { followStream, type StreamEvent, type StreamState } from '../../../api/event-stream';
import {
  awaitingMeQuery,
  executionQuery,
  firstResultsQuery,
  resultGridQuery,
} from '../../../api/queries/runs/executions';
import { meQuery } from '../../../api/queries/access/session';
import type { Execution } from '../../../api/types';
import { cellsReducer, type CellsState, NO_CELLS, type RunEvent } from './run-cells.reducer';

const REFRESH_MS = 700;

export interface RunStream extends CellsState {
  state: StreamState;
  loading: boolean;
  error: unknown;
  retry: () => void;
}

/**
 * Returns the cells of a run. They are loaded once, then updated by the run's event stream until the run is finished.
 */
export function useRunStream(run: Execution): RunStream {
  const { id } = run;
  const client = useQueryClient();
  const [cells, dispatch] = useReducer(cellsReducer, NO_CELLS);
  // Decided only once, when the page opens. The end of a run is often read before its latest events arrive; without
  // these events, its last hosts would stay "running".
  const [followed] = useState(!run.finished);
  const [state, setState] = useState<StreamState>(followed ? 'connecting' : 'closed');
  const first = useQuery(firstResultsQuery(id));
  const results = useQuery(resultGridQuery(id));
  const [after] = useState(run.lastEventId);
  const unknown = run.unknownHosts.length;

  useEffect(() => {
    if (first.data) dispatch({ type: 'grid', grid: first.data });
  }, [first.data]);
  useEffect(() => {
    if (results.data) dispatch({ type: 'grid', grid: results.data });
  }, [results.data]);

  // The results contain all events before `after`, because they are read after `after` was. So the stream need not
  // repeat these events. Cached results may be older. Unknown results may be resolved after the end of the stream.
  const [cached] = useState(() => client.getQueryData(resultGridQuery(id).queryKey) !== undefined);
  const knownUnknown = useRef(cached ? -1 : unknown);
  useEffect(() => {
    if (knownUnknown.current === unknown) return;
    knownUnknown.current = unknown;
    void client.invalidateQueries({ queryKey: resultGridQuery(id).queryKey });
  }, [client, id, unknown]);

  useEffect(() => {
    if (!followed) return;
    let timer = 0;
    const refresh = () => {
      if (timer !== 0) return;
      timer = window.setTimeout(() => {
        timer = 0;
        void client.invalidateQueries({ queryKey: executionQuery(id).queryKey, exact: true });
      }, REFRESH_MS);
    };
    const stop = followStream(`/api/executions/${id}/stream?after=${after}`, isLast, {
      onState: (next) => {
        setState(next);
        if (next !== 'live') return;
        // Other queries may have failed for the same reason as the stream. No new event may trigger them again.
        dispatch({ type: 'refresh' });
        const { queryKey } = executionQuery(id);
        void client.invalidateQueries({ queryKey, predicate: (query) => query.state.status === 'error' });
      },
      onRefused: () => {
        void client.invalidateQueries({ queryKey: meQuery.queryKey });
        refresh();
      },
      onEvents: (events) => {
        dispatch({ type: 'events', events: events.map(toRunEvent) });
        if (events.some(({ type }) => type !== 'output.appended')) refresh();
        if (events.some(({ type }) => type === 'execution.status_changed'))
          void client.invalidateQueries({ queryKey: awaitingMeQuery.queryKey });
        if (events.some(isLast)) void readAnew(client, id);
      },
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [client, id, followed, after]);

  return {
    ...cells,
    state,
    loading: results.isPending && !first.data,
    error: results.error,
    retry: () => void results.refetch(),
  };
}

/**
 * Cancels pending requests first. One of them may have been answered before the end of the run, and would count as the
 * final state.
 */
async function readAnew(client: QueryClient, id: string): Promise<void> {
  const { queryKey } = executionQuery(id);
  await client.cancelQueries({ queryKey });
  await client.invalidateQueries({ queryKey });
}

const isLast = ({ type }: StreamEvent) => type === 'execution.finished';

const toRunEvent = ({ type, data }: StreamEvent): RunEvent => ({
  type,
  // The event only announces output, which has its own route.
  data: type === 'output.appended' ? {} : (JSON.parse(data) as Record<string, unknown>),
});
