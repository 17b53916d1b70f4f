import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries/access/session';
import { overviewQuery } from '../api/queries/runs/overview';
import type { Overview } from '../api/types';
import { namesOf } from './permitted-people';

export const NO_GRANT_TITLE = 'You have no access to an environment yet';

export const noGrantText = (admins: Overview['admins']): string =>
  'Runs, hosts and results belong to environments. You need a grant in at least one of them: “view” to see it, “run” ' +
  `to start plans, “approve” to approve runs. An admin can give it to you: ${namesOf({ names: admins.map(({ name }) => name), more: 0 })}.`;

/**
 * Returns which grants a member without any environment needs, and who gives them. Null = the member sees an
 * environment, or it is not known yet.
 * @param enabled false = does not ask the server
 */
export function useMissingGrant(enabled: boolean): string | null {
  const { data: me } = useQuery(meQuery);
  const { data } = useQuery({ ...overviewQuery, enabled: enabled && me != null && me.role !== 'admin' });
  return enabled && data?.environmentCount === 0 ? noGrantText(data.admins) : null;
}
