import type { Environment, EnvironmentAccess, GrantLevel, Role, Server } from '../api/types';
import { includesRole } from './roles';

const GRANT_LEVELS: readonly GrantLevel[] = ['view', 'run', 'approve'];

export const includesLevel = (level: GrantLevel | null, needed: GrantLevel): boolean =>
  level !== null && GRANT_LEVELS.indexOf(level) >= GRANT_LEVELS.indexOf(needed);

/** What decides a member's access to an environment. */
export interface MemberAccess {
  role: Role;
  access: EnvironmentAccess;
  grant: GrantLevel | null;
  /** A service account, which never approves. */
  machine?: boolean;
}

const maySee = ({ role, access, grant }: MemberAccess) => role === 'admin' || access === 'open' || grant !== null;
const mayRun = ({ role, access, grant }: MemberAccess) =>
  role === 'admin' || (includesRole(role, 'operator') && (access === 'open' || includesLevel(grant, 'run')));
const mayApprove = ({ role, grant, machine }: MemberAccess) =>
  machine !== true && (role === 'admin' || includesLevel(grant, 'approve'));

/** What a member may do in an environment, as a phrase. The server enforces it; this only explains it beforehand. */
export function describeAccess(member: MemberAccess): string {
  if (member.role === 'admin') return member.machine ? 'Everything but to approve' : 'Everything, as an admin';
  if (!maySee(member)) return 'Nothing: does not see it';
  const verbs = ['Sees', ...(mayRun(member) ? ['runs'] : []), ...(mayApprove(member) ? ['approves'] : [])];
  if (verbs.length === 1) return member.role === 'viewer' ? 'Sees; a viewer runs nothing' : 'Sees, no more';
  return verbs.length === 2 ? verbs.join(' and ') : `${verbs[0]}, ${verbs[1]} and ${verbs[2]}`;
}

export const needsRunGrant = (environmentName: string): string =>
  `Needs the grant “run” in ${environmentName}, which an admin gives`;

/** Why an operator can't change records of an environment; null when nothing but the role may be missing. */
export function missingGrant(role: Role | undefined, environment: Environment): string | null {
  const { access, currentUserGrant, name } = environment;
  if (role === 'admin' || access === 'open' || includesLevel(currentUserGrant, 'run')) return null;
  return needsRunGrant(name);
}

/** Why a member can't decide what servers of an environment protect; null when nothing but the role may be missing. */
export function missingApproval(role: Role | undefined, { currentUserGrant, name }: Environment): string | null {
  if (role === 'admin' || includesLevel(currentUserGrant, 'approve')) return null;
  return `Needs the grant “approve” in ${name}, which an admin gives`;
}

type GuardingEnvironment = Pick<Environment, 'name' | 'protected' | 'currentUserGrant'>;
type GuardedServer = Pick<Server, 'protection' | 'hostKeys'>;

const missingApprove = (role: Role | undefined, { name, ...environment }: GuardingEnvironment): string | null =>
  !environment.protected || role === 'admin' || includesLevel(environment.currentUserGrant, 'approve')
    ? null
    : `“${name}” is protected: needs the grant “approve” there, which an admin gives`;

const isProved = ({ protection }: GuardedServer) => protection === 'proved' || protection === 'confirmed';

/** Why a member can't change address, port, jump server, host keys or environment of a server; null: nothing is missing. */
export const hostObstacle = (
  role: Role | undefined,
  environment: GuardingEnvironment,
  server: GuardedServer,
): string | null => (isProved(server) || server.hostKeys.length > 0 ? missingApprove(role, environment) : null);

/** Why a member can't delete a server; null: nothing is missing. */
export const deletionObstacle = (
  role: Role | undefined,
  environment: GuardingEnvironment,
  server: GuardedServer,
): string | null => (isProved(server) ? missingApprove(role, environment) : null);
