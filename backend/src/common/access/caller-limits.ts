/** What a token lets its holder do, in ascending order; each includes those before it. */
export const TOKEN_ACCESS = ['read', 'run', 'all'] as const;
export type TokenAccess = (typeof TOKEN_ACCESS)[number];

/**
 * What a credential leaves of the rights of its member. It is handed to statements as JSON: the names are those that
 * `environments/visible-environment.ts` looks for.
 */
export interface CallerLimits {
  access: TokenAccess;
  /** Only these environments are seen; absent: all that the member sees. */
  environmentIds?: readonly string[];
  /** Only these plans and their runs are seen; absent: all that the member sees. */
  planIds?: readonly string[];
  /** A program asks, not a person: a service account, or whoever exchanged a token of an identity provider. */
  machine?: true;
}

/**
 * What a route deals with, as far as narrowed tokens go.
 * - `caller`: the caller alone
 * - `plan`: plans, runs, and the environments that these are started in
 * - `environment`: what else hangs on environments; closed to tokens that are narrowed to plans
 * - `tenant`: what belongs to the whole tenant; closed to tokens that are narrowed to environments or plans
 */
export type Reach = 'caller' | 'plan' | 'environment' | 'tenant';

/** Whether the caller is kept to some environments. */
export const isKeptToEnvironments = (limits: CallerLimits | null): boolean => limits?.environmentIds !== undefined;

/** Whether the caller is kept to some environments or plans. */
export const isNarrowed = (limits: CallerLimits | null): boolean =>
  limits?.environmentIds !== undefined || limits?.planIds !== undefined;

/** Whether what the caller asks with lets a person approve. */
export const letsApprove = (limits: CallerLimits | null): boolean =>
  limits === null || (limits.access === 'all' && limits.machine !== true);

/** Whether `access` includes what needs `needed`. */
const accessIncludes = (access: TokenAccess, needed: TokenAccess): boolean =>
  TOKEN_ACCESS.indexOf(access) >= TOKEN_ACCESS.indexOf(needed);

/** Why a credential of these limits may not call a route; null: it may. */
export function obstacleOf(
  limits: CallerLimits | null,
  route: { reach: Reach; access: TokenAccess; people: boolean },
): 'access' | 'reach' | 'machine' | null {
  if (limits === null) return null;
  if (!accessIncludes(limits.access, route.access)) return 'access';
  if (route.reach === 'tenant' && isNarrowed(limits)) return 'reach';
  if (route.reach === 'environment' && limits.planIds !== undefined) return 'reach';
  return route.people && limits.machine ? 'machine' : null;
}
