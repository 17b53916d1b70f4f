import { useQuery } from '@tanstack/react-query';
import { failureCausesQuery } from '../../../api/queries/runs/executions';
import type { Execution, HostStatus } from '../../../api/types';
import { hasFailed } from './host-outcome';

/** Query for the causes of the run's failures. It has no data if no host has failed. */
export function useFailureCauses({ id, summary, steps, unknownHosts }: Execution) {
  const failures = steps
    .flatMap(({ counts }) => Object.entries(counts))
    .reduce((sum, [status, count]) => (hasFailed({ status: status as HostStatus }) ? sum + count : sum), 0);
  return useQuery({
    // The resolution of an unknown result changes the causes too.
    ...failureCausesQuery(id, failures + unknownHosts.length),
    enabled: summary.firstFailure !== null,
  });
}
