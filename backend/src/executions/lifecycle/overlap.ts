/** What a run takes for itself until it is finished (design: domain §5). */
export interface GuardedRun {
  planId: string;
  environmentId: string;
  hosts: readonly { hostname: string; port: number }[];
  /** Runs of the plan may overlap in an environment as long as they share no host. */
  parallelSafe: boolean;
  /** Names that only one run at a time may hold. */
  locks: readonly string[];
}

/** The key of a host. The same address registered twice is one host. */
export const hostGuardKey = (host: { hostname: string; port: number }): string =>
  `host:${host.hostname.toLowerCase()}:${host.port}`;

/** The key of a plan in an environment. */
export const planGuardKey = (planId: string, environmentId: string): string => `plan:${planId}:${environmentId}`;

/** The key of a lock that plans name. */
export const lockGuardKey = (name: string): string => `lock:${name}`;

/**
 * All keys of a run, each once, sorted: racing starts then wait for one another in the same order and can't deadlock.
 */
export function guardKeysOf(run: GuardedRun): string[] {
  const plan = run.parallelSafe ? [] : [planGuardKey(run.planId, run.environmentId)];
  return [...new Set([...plan, ...run.locks.map(lockGuardKey), ...run.hosts.map(hostGuardKey)])].sort();
}
