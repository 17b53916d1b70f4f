/** In ascending order: each level includes the previous ones. */
export const TOKEN_ACCESS = ['read', 'run', 'all'] as const;
export type TokenAccess = (typeof TOKEN_ACCESS)[number];

/**
 * How a credential has fewer rights than its member. Passed to SQL as JSON: `environments/environments.sql.ts` reads
 * these field names.
 */
export interface CallerLimits {
  access: TokenAccess;
  /** Visible environments; undefined = all that the member can see. */
  environmentIds?: readonly string[];
  /** Visible plans, with their runs; undefined = all that the member can see. */
  planIds?: readonly string[];
  /** The caller is a program: a service account, or the holder of a token from a trust rule. */
  machine?: true;
}

/**
 * Records that a route deals with, for limited tokens.
 * - `caller`: only the caller
 * - `plan`: plans, runs, and the environments in which they start
 * - `environment`: other records of environments; closed to tokens that are limited to plans
 * - `tenant`: records of the whole tenant; closed to tokens that are limited to environments or plans
 */
export type RouteReach = 'caller' | 'plan' | 'environment' | 'tenant';

export const isLimitedToEnvironments = (limits: CallerLimits | null): boolean => limits?.environmentIds !== undefined;

export const isLimitedToRecords = (limits: CallerLimits | null): boolean =>
  limits?.environmentIds !== undefined || limits?.planIds !== undefined;

/** Whether the credential allows approvals by a person. */
export const allowsApproval = (limits: CallerLimits | null): boolean =>
  limits === null || (limits.access === 'all' && limits.machine !== true);

const includesAccess = (access: TokenAccess, requiredAccess: TokenAccess): boolean =>
  TOKEN_ACCESS.indexOf(access) >= TOKEN_ACCESS.indexOf(requiredAccess);

/** Why a credential with these limits cannot call a route; null = it can. */
export function findLimitObstacle(
  limits: CallerLimits | null,
  route: { reach: RouteReach; access: TokenAccess; people: boolean },
): 'access' | 'reach' | 'machine' | null {
  if (limits === null) return null;
  if (!includesAccess(limits.access, route.access)) return 'access';
  if (route.reach === 'tenant' && isLimitedToRecords(limits)) return 'reach';
  if (route.reach === 'environment' && limits.planIds !== undefined) return 'reach';
  return route.people && limits.machine ? 'machine' : null;
}
