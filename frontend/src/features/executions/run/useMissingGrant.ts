import { useQuery } from '@tanstack/react-query';
import { missingGrant } from '../../../access/environment-access';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { meQuery } from '../../../api/queries/access/session';
import type { Execution } from '../../../api/types';

/** Returns why an operator can't control or rerun this run; null: no reason is known. */
export function useMissingGrant({ environmentId }: Pick<Execution, 'environmentId'>): string | null {
  const { data: me } = useQuery(meQuery);
  const { data: environments } = useQuery(environmentChoicesQuery);
  const environment = environments?.items.find(({ id }) => id === environmentId);
  return environment ? missingGrant(me?.role, environment) : null;
}
