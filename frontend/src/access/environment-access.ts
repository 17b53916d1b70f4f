import type { Environment, EnvironmentAccess, GrantLevel, Role } from '../api/types';
import { includesRole } from './roles';

export const GRANT_LEVELS: readonly GrantLevel[] = ['view', 'run', 'approve'];

export const includesLevel = (level: GrantLevel | null, needed: GrantLevel): boolean =>
  level !== null && GRANT_LEVELS.indexOf(level) >= GRANT_LEVELS.indexOf(needed);

/** How a member stands to an environment. */
export interface Standing {
  role: Role;
  access: EnvironmentAccess;
  grant: GrantLevel | null;
}

const maySee = ({ role, access, grant }: Standing) => role === 'admin' || access === 'open' || grant !== null;
const mayRun = ({ role, access, grant }: Standing) =>
  role === 'admin' || (includesRole(role, 'operator') && (access === 'open' || includesLevel(grant, 'run')));
const mayApprove = ({ role, grant }: Standing) => role === 'admin' || includesLevel(grant, 'approve');

/** What somebody may do in an environment, as one says it. The server decides; this only explains beforehand. */
export function standingInWords(standing: Standing): string {
  if (standing.role === 'admin') return 'Everything, as an admin';
  if (!maySee(standing)) return 'Nothing: does not see it';
  const verbs = ['Sees', ...(mayRun(standing) ? ['runs'] : []), ...(mayApprove(standing) ? ['approves'] : [])];
  if (verbs.length === 1) return standing.role === 'viewer' ? 'Sees; a viewer runs nothing' : 'Sees, no more';
  return verbs.length === 2 ? verbs.join(' and ') : `${verbs[0]}, ${verbs[1]} and ${verbs[2]}`;
}

export const needsRunGrant = (environmentName: string): string =>
  `Needs the grant “run” in ${environmentName}, which an admin gives`;

/** Why an operator can't change what hangs on an environment; null when only the role may be in the way. */
export function missingGrant(role: Role | undefined, environment: Environment): string | null {
  const { access, currentUserGrant, name } = environment;
  if (role === 'admin' || access === 'open' || includesLevel(currentUserGrant, 'run')) return null;
  return needsRunGrant(name);
}
