import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries/access/session';
import { environmentPermissionsQuery, environmentQuery } from '../api/queries/inventory/environments';
import type { Role } from '../api/types';
import { missingGrant } from './environment-access';
import { namesOf } from './permitted-people';
import { missingRole } from './roles';

/**
 * Returns which role or grant the member lacks, and the admins who can give it. Null = nothing is missing, or it is not
 * known yet.
 * @param environmentId environment of the changed record or the run, whose grant “run” is needed too; null = none
 */
export function useRefusal(role: Role, environmentId: string | null = null): string | null {
  const { data: me } = useQuery(meQuery);
  const id = environmentId ?? '';
  const { data: environment } = useQuery({ ...environmentQuery(id), enabled: environmentId !== null });
  const noRole = missingRole(me?.role, role);
  const reason = noRole ? `${noRole}; ask an admin` : environment ? missingGrant(me?.role, environment) : null;
  const { data: people } = useQuery({
    ...environmentPermissionsQuery(id),
    enabled: environmentId !== null && me !== undefined && reason !== null,
  });
  return reason !== null && people ? `${reason}: ${namesOf(people.administer)}` : reason;
}
