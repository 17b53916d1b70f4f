import { queryOptions, useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { answerOf, api } from '../../client';
import { installationState, onInstallationState } from '../../installation-state';
import type { InstallationStatus } from '../../types';

/** Interval at which a page without other requests checks whether the state has ended, in ms. */
const REFETCH_INTERVAL_MS = 15_000;

const installationQuery = (state: string | null) =>
  queryOptions({
    queryKey: ['installation', state],
    queryFn: ({ signal }) => answerOf(api.GET('/api/installation', { signal })),
    enabled: state !== null,
    refetchInterval: REFETCH_INTERVAL_MS,
  });

/** Why the installation is draining or held; undefined while it is active. Costs no request while it is active. */
export function useStoppedInstallation(): InstallationStatus | undefined {
  const state = useSyncExternalStore(onInstallationState, installationState);
  const { data } = useQuery(installationQuery(state));
  return state === null || data?.state === 'active' ? undefined : data;
}
