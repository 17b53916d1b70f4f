import { GRANT_LEVELS, type GrantLevel } from '../common/access/grant-level.js';
import { type Role, roleIncludes } from '../common/access/principal.js';

/** Who sees an environment. */
export const ENVIRONMENT_ACCESS = ['open', 'restricted'] as const;
export type EnvironmentAccess = (typeof ENVIRONMENT_ACCESS)[number];

/** How a member stands to an environment. */
export interface MemberRights {
  role: Role;
  access: EnvironmentAccess;
  /** The member's own grant there; null: none. */
  grant: GrantLevel | null;
  /** A service account: it may do all but let runs in. */
  machine?: boolean;
}

const levelIncludes = (level: GrantLevel | null, needed: GrantLevel): boolean =>
  level !== null && GRANT_LEVELS.indexOf(level) >= GRANT_LEVELS.indexOf(needed);

/** Whether the member sees the environment and what hangs on it. `environmentIsVisible` says the same in SQL. */
export const maySee = ({ role, access, grant }: MemberRights): boolean =>
  role === 'admin' || access === 'open' || grant !== null;

/** Whether the member may change its servers and variables and start and cancel runs there. */
export const mayRun = ({ role, access, grant }: MemberRights): boolean =>
  role === 'admin' || (roleIncludes(role, 'operator') && (access === 'open' || levelIncludes(grant, 'run')));

/** Whether the member may let runs into it. An open environment gives nobody that right by itself, and nothing gives it to a machine. */
export const mayApprove = ({ role, grant, machine }: MemberRights): boolean =>
  machine !== true && (role === 'admin' || levelIncludes(grant, 'approve'));
