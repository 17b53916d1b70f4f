import { useQuery } from '@tanstack/react-query';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import type { Names } from './scope-words';

interface Choice {
  value: string;
  label: string;
}

/** Returns the environments and plans to which a token can be restricted, as far as the caller sees them. */
export function useScopeNames() {
  const environments = useQuery(environmentChoicesQuery);
  const plans = useQuery(planChoicesQuery);
  const choices = (items: readonly { id: string; name: string }[] = []): Choice[] =>
    items.map(({ id, name }) => ({ value: id, label: name }));
  const names = (items: readonly { id: string; name: string }[] = []): Names =>
    new Map(items.map(({ id, name }) => [id, name]));
  return {
    environments: { choices: choices(environments.data?.items), names: names(environments.data?.items) },
    plans: {
      choices: choices(plans.data?.items),
      names: names(plans.data?.items),
      items: plans.data?.items ?? [],
    },
    error: environments.error ?? plans.error,
  };
}
