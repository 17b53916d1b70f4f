import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/queries/access/session';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import { latestExecutionsQuery } from '../../api/queries/runs/executions';
import { keyChoicesQuery } from '../../api/queries/inventory/keys';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import { matchingServersQuery } from '../../api/queries/inventory/servers';
import { anySuccessQuery } from './first-queries';
import { type FirstStep, firstSteps } from './first-steps';

interface FirstSteps {
  isLoading: boolean;
  /** Null = all steps are done, or the member hid them. */
  steps: FirstStep[] | null;
  planId: string | undefined;
  hasNoRuns: boolean;
  /** Hides the steps for this member in this browser. */
  dismiss: () => void;
}

/** Returns the first steps with their progress, once everything is loaded, so that nothing flickers. */
export function useFirstSteps(): FirstSteps {
  // The user may come back from one of the steps, so cached data may be stale.
  const fresh = { staleTime: 0 };
  const { data: me } = useQuery(meQuery);
  const [isHidden, setHidden] = useLocalStorage({
    key: `runward.first-steps-hidden.${me?.id ?? ''}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const succeeded = useQuery(anySuccessQuery);
  // After the first successful run the checklist is hidden and needs no other queries.
  const enabled = !isHidden && succeeded.data?.items.length === 0;
  const runs = useQuery({ ...latestExecutionsQuery({}, 8), enabled });
  const keys = useQuery({ ...keyChoicesQuery, ...fresh, enabled });
  const environments = useQuery({ ...environmentChoicesQuery, ...fresh, enabled });
  const servers = useQuery({ ...matchingServersQuery(null, ''), ...fresh, enabled });
  const plans = useQuery({ ...planChoicesQuery, ...fresh, enabled });
  const isLoading =
    succeeded.isLoading || [runs, keys, environments, servers, plans].some((query) => enabled && query.isLoading);
  const steps =
    enabled && keys.data && environments.data && servers.data && plans.data && runs.data
      ? firstSteps({
          keys: keys.data.items,
          environments: environments.data.items,
          servers: servers.data.items,
          plans: plans.data.items,
          runs: runs.data.items,
        })
      : null;
  return {
    isLoading,
    steps: steps?.some((step) => !step.done) ? steps : null,
    planId: plans.data?.items[0]?.id,
    hasNoRuns: runs.data?.items.length === 0,
    dismiss: () => setHidden(true),
  };
}
