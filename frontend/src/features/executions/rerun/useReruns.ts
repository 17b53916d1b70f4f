import { useQuery } from '@tanstack/react-query';
import { latestExecutionsQuery } from '../../../api/queries/runs/executions';
import type { Execution } from '../../../api/types';

/** Maximum number of reruns that the page of a run names. */
export const MAX_RERUNS = 20;
/** Refetch intervals in ms: `REFRESH_MS` while a rerun is active, otherwise `IDLE_REFRESH_MS`. */
const REFRESH_MS = 5_000;
const IDLE_REFRESH_MS = 30_000;

/** Latest reruns of a finished run. */
export const useReruns = ({ id, finished }: Execution) =>
  useQuery({
    ...latestExecutionsQuery({ parentId: id }, MAX_RERUNS),
    enabled: finished,
    refetchInterval: ({ state }) => (state.data?.items.some((rerun) => !rerun.finished) ? REFRESH_MS : IDLE_REFRESH_MS),
  });
