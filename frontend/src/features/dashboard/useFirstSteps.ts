import { useQuery } from '@tanstack/react-query';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import { latestExecutionsQuery } from '../../api/queries/runs/executions';
import { keyChoicesQuery } from '../../api/queries/inventory/keys';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import { matchingServersQuery } from '../../api/queries/inventory/servers';
import { type FirstStep, firstSteps } from './first-steps';

/** Returns the first steps with their progress; null until everything is loaded, so that nothing flickers. */
export function useFirstSteps(): { steps: FirstStep[]; planId: string | undefined } | null {
  // The user may come back from one of the steps, so cached data may be stale.
  const fresh = { staleTime: 0 };
  const runs = useQuery(latestExecutionsQuery({}, 8));
  // After the first run the checklist is hidden and needs no other queries.
  const begun = runs.data === undefined || runs.data.items.length > 0;
  const keys = useQuery({ ...keyChoicesQuery, ...fresh, enabled: !begun });
  const environments = useQuery({ ...environmentChoicesQuery, ...fresh, enabled: !begun });
  const servers = useQuery({ ...matchingServersQuery(null, ''), ...fresh, enabled: !begun });
  const plans = useQuery({ ...planChoicesQuery, ...fresh, enabled: !begun });
  if (begun || !keys.data || !environments.data || !servers.data || !plans.data) return null;
  const steps = firstSteps({
    keys: keys.data.items,
    environments: environments.data.items,
    servers: servers.data.items,
    plans: plans.data.items,
    runs: runs.data?.items ?? [],
  });
  return { steps, planId: plans.data.items[0]?.id };
}
