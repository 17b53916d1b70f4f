import type { Environment, EnvironmentAccess, GrantLevel, Role, Server } from '../api/types';
import { includesRole } from './roles';

const GRANT_LEVELS: readonly GrantLevel[] = ['view', 'run', 'approve'];

export const includesLevel = (level: GrantLevel | null, needed: GrantLevel): boolean =>
  level !== null && GRANT_LEVELS.indexOf(level) >= GRANT_LEVELS.indexOf(needed);

export interface MemberAccess {
  role: Role;
  access: EnvironmentAccess;
  grant: GrantLevel | null;
  /** Whether the member is a service account, which never approves. */
  machine?: boolean;
}

const maySee = ({ role, access, grant }: MemberAccess) => role === 'admin' || access === 'open' || grant !== null;
const mayRun = ({ role, access, grant }: MemberAccess) =>
  role === 'admin' || (includesRole(role, 'operator') && (access === 'open' || includesLevel(grant, 'run')));
const mayApprove = ({ role, grant, machine }: MemberAccess) =>
  machine !== true && (role === 'admin' || includesLevel(grant, 'approve'));

/**
 * Describes in a phrase what a member may do in an environment. Only explains this beforehand; the server enforces it.
 */
export function describeAccess(member: MemberAccess): string {
  if (member.role === 'admin') return member.machine ? 'Everything except approval' : 'Everything (admin)';
  if (!maySee(member)) return 'No access';
  const accessVerbs = ['Sees', ...(mayRun(member) ? ['runs'] : []), ...(mayApprove(member) ? ['approves'] : [])];
  if (accessVerbs.length === 1) return member.role === 'viewer' ? 'View only: viewers cannot start runs' : 'View only';
  return accessVerbs.length === 2
    ? accessVerbs.join(' and ')
    : `${accessVerbs[0]}, ${accessVerbs[1]} and ${accessVerbs[2]}`;
}

export const needsRunGrant = (environmentName: string): string =>
  `Needs the grant “run” in ${environmentName}; ask an admin`;

/** Returns why an operator can't change records of an environment; null = at most the role is missing. */
export function missingGrant(role: Role | undefined, environment: Environment): string | null {
  const { access, currentUserGrant, name } = environment;
  if (role === 'admin' || access === 'open' || includesLevel(currentUserGrant, 'run')) return null;
  return needsRunGrant(name);
}

/**
 * Returns why a member can't change the protection of servers of an environment; null = at most the role is missing.
 */
export function missingApproval(role: Role | undefined, { currentUserGrant, name }: Environment): string | null {
  if (role === 'admin' || includesLevel(currentUserGrant, 'approve')) return null;
  return `Needs the grant “approve” in ${name}; ask an admin`;
}

type GuardingEnvironment = Pick<Environment, 'name' | 'protected' | 'currentUserGrant'>;
type GuardedServer = Pick<Server, 'protection' | 'hostKeys'>;

const missingApprove = (role: Role | undefined, { name, ...environment }: GuardingEnvironment): string | null =>
  !environment.protected || role === 'admin' || includesLevel(environment.currentUserGrant, 'approve')
    ? null
    : `“${name}” is protected: needs the grant “approve” there; ask an admin`;

const isProved = ({ protection }: GuardedServer) => protection === 'proved' || protection === 'confirmed';

/**
 * Returns why a member can't change address, port, jump server, host keys or environment of a server; null = nothing is
 * missing.
 */
export const hostObstacle = (
  role: Role | undefined,
  environment: GuardingEnvironment,
  server: GuardedServer,
): string | null => (isProved(server) || server.hostKeys.length > 0 ? missingApprove(role, environment) : null);

/** Returns why a member can't delete a server; null = nothing is missing. */
export const deletionObstacle = (
  role: Role | undefined,
  environment: GuardingEnvironment,
  server: GuardedServer,
): string | null => (isProved(server) ? missingApprove(role, environment) : null);
