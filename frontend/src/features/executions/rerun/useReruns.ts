import { useQuery } from '@tanstack/react-query';
import { rerunsQuery } from '../../../api/queries/runs/executions';
import type { Execution } from '../../../api/types';

/** Refetch intervals in ms: `REFRESH_MS` while a rerun is active, otherwise `IDLE_REFRESH_MS`. */
const REFRESH_MS = 5_000;
const IDLE_REFRESH_MS = 30_000;

/** Latest reruns of a finished run. */
export const useReruns = ({ id, finished }: Execution) =>
  useQuery({
    ...rerunsQuery(id),
    enabled: finished,
    refetchInterval: ({ state }) => (state.data?.items.some((rerun) => !rerun.finished) ? REFRESH_MS : IDLE_REFRESH_MS),
  });
