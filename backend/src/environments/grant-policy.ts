import { type Role, roleIncludes } from '../common/access/principal.js';

/** In ascending order: each level includes the previous ones. */
export const GRANT_LEVELS = ['view', 'run', 'approve'] as const;
export type GrantLevel = (typeof GRANT_LEVELS)[number];

export const ENVIRONMENT_ACCESS = ['open', 'restricted'] as const;
export type EnvironmentAccess = (typeof ENVIRONMENT_ACCESS)[number];

export interface MemberStatus {
  role: Role;
  access: EnvironmentAccess;
  grant: GrantLevel | null;
  /** True for a service account, which may not approve. */
  machine?: boolean;
}

const includesLevel = (level: GrantLevel | null, requiredLevel: GrantLevel): boolean =>
  level !== null && GRANT_LEVELS.indexOf(level) >= GRANT_LEVELS.indexOf(requiredLevel);

/** Message of every refusal because of a missing grant. */
export const describeMissingGrant = (level: GrantLevel, environment: string, current: GrantLevel | null = null) =>
  `This needs the grant "${level}" in "${environment}"${current ? `; yours is "${current}"` : ''}. Ask an admin for it.`;

/** Same rule as `isEnvironmentVisibleSql` in SQL. */
export const maySee = ({ role, access, grant }: MemberStatus): boolean =>
  role === 'admin' || access === 'open' || grant !== null;

/** Whether the member may change servers and variables, and start and cancel runs. */
export const mayRun = ({ role, access, grant }: MemberStatus): boolean =>
  role === 'admin' || (roleIncludes(role, 'operator') && (access === 'open' || includesLevel(grant, 'run')));

/** Whether the member may approve runs. Open environments do not give this right, and machines never have it. */
export const mayApprove = ({ role, grant, machine }: MemberStatus): boolean =>
  machine !== true && (role === 'admin' || includesLevel(grant, 'approve'));
