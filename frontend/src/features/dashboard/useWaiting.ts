import { useQueries, useQuery } from '@tanstack/react-query';
import { missingGrant } from '../../access/environment-access';
import { useAccess } from '../../access/useAccess';
import { environmentChoicesQuery } from '../../api/queries/environments';
import { executionQuery } from '../../api/queries/executions';
import { meQuery } from '../../api/queries/session';
import type { ExecutionSummary } from '../../api/types';

/** Of the runs that wait for a person, those that the one who looks can answer; undefined while that is not known. */
export function useWaiting(runs: ExecutionSummary[] | undefined, refreshMs: number): ExecutionSummary[] | undefined {
  const { can } = useAccess();
  const { data: me } = useQuery(meQuery);
  const environments = useQuery(environmentChoicesQuery);
  const paused = (runs ?? []).filter(({ status }) => status === 'PAUSED');
  const asked = paused.filter(({ pauseReason }) => pauseReason === 'APPROVAL');
  // Who may approve stands only in the run itself.
  const details = useQueries({
    queries: asked.map(({ id }) => ({ ...executionQuery(id), refetchInterval: refreshMs })),
  });
  if (!runs || !environments.data || details.some(({ isPending }) => isPending)) return undefined;
  const approvable = new Set(details.flatMap(({ data }) => (data?.approval?.currentUserCanDecide ? [data.id] : [])));
  const mayRun = (environmentId: string): boolean => {
    const environment = environments.data.items.find(({ id }) => id === environmentId);
    return can('operator') && (!environment || missingGrant(me?.role, environment) === null);
  };
  return paused.filter(({ id, pauseReason, environmentId }) =>
    pauseReason === 'APPROVAL' ? approvable.has(id) : mayRun(environmentId),
  );
}
