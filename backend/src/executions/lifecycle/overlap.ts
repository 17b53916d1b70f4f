/** What a run takes for itself until it is finished (design: domain §5). */
export interface GuardedRun {
  planId: string;
  environmentId: string;
  hosts: readonly { hostname: string; port: number }[];
}

/** The key of a host. The same address registered twice is one host. */
export const hostGuardKey = (host: { hostname: string; port: number }): string =>
  `host:${host.hostname.toLowerCase()}:${host.port}`;

/** The key of a plan in an environment. */
export const planGuardKey = (planId: string, environmentId: string): string => `plan:${planId}:${environmentId}`;

/**
 * All keys of a run, each once, sorted: racing starts then wait for one another in the same order and can't deadlock.
 */
export function guardKeysOf(run: GuardedRun): string[] {
  return [...new Set([planGuardKey(run.planId, run.environmentId), ...run.hosts.map(hostGuardKey)])].sort();
}
