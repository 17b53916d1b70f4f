import { useQuery } from '@tanstack/react-query';
import { missingGrant } from '../../../access/environment-access';
import { missingRole } from '../../../access/roles';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { meQuery } from '../../../api/queries/access/session';
import { runPermissionsQuery } from '../../../api/queries/runs/steering';
import type { Execution, RunRight } from '../../../api/types';
import { permittedText } from '../../../access/permitted-people';

type Run = Pick<Execution, 'id' | 'environmentId' | 'pause' | 'approval'>;

/** Returns why the member can't control or administer this run, and who can; null: no reason is known. */
export function useRunObstacle(run: Run, right: Exclude<RunRight, 'approve'> = 'control'): string | null {
  const { data: me } = useQuery(meQuery);
  const { data: environments } = useQuery(environmentChoicesQuery);
  const environment = environments?.items.find(({ id }) => id === run.environmentId);
  const reason =
    right === 'administer'
      ? missingRole(me?.role, 'admin')
      : (missingRole(me?.role, 'operator') ?? (environment ? missingGrant(me?.role, environment) : null));
  const permitted = usePermitted(run, right, me !== undefined && reason !== null);
  return reason !== null && permitted !== null ? `${reason}. ${permitted}` : reason;
}

/** Returns who has a right in this run; null: not known, or the member has it. */
export function usePermitted({ id, pause, approval }: Run, right: RunRight, refused: boolean): string | null {
  // The approvers change with each approval.
  const state = `${pause?.since} ${approval?.decisions.length}`;
  const { data } = useQuery({ ...runPermissionsQuery(id, state), enabled: refused });
  const people = refused && data?.[right];
  return people ? permittedText(people) : null;
}
