import type { Role } from '../api/types';

const ROLE_RANKS: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

export const ROLE_NAMES: Record<Role, string> = { viewer: 'Viewer', operator: 'Operator', admin: 'Admin' };

export const ROLE_MEANINGS: Record<Role, string> = {
  viewer: 'Views plans, servers, runs and their output. Cannot change or start anything.',
  operator: 'Also starts and cancels runs, and changes plans, servers, SSH keys and variables.',
  admin: 'Also manages members and grants, and reads the audit trail. Views everything.',
};

/** Whether a role includes another one. Only explains this beforehand; the server enforces it. */
export const includesRole = (role: Role, needed: Role): boolean => ROLE_RANKS[role] >= ROLE_RANKS[needed];

/** Returns why a control is disabled; null = it is enabled. */
export const missingRole = (role: Role | undefined, needed: Role): string | null =>
  role && includesRole(role, needed) ? null : `Needs the ${ROLE_NAMES[needed]} role`;
