import { canonicalAddress } from '../../common/network/host-address.js';

interface Address {
  hostname: string;
  port: number;
}

export interface GuardedRun {
  planId: string;
  environmentId: string;
  hosts: readonly Address[];
  /** Runs of the plan may overlap in an environment as long as they share no host. */
  parallelSafe: boolean;
  called?: readonly { planId: string; parallelSafe: boolean }[];
  locks: readonly string[];
}

/** Guard key of a host. The same address registered twice is one host, whatever its spelling. */
export const hostGuardKey = ({ hostname, port }: Address): string => `host:${canonicalAddress(hostname)}:${port}`;

/**
 * All guard keys of a host. Earlier versions used the address in its original spelling. A key that such a version still
 * holds, because a result is unknown, still blocks the server.
 */
export function hostGuardKeys(host: Address): string[] {
  return [...new Set([hostGuardKey(host), `host:${host.hostname.toLowerCase()}:${host.port}`])];
}

const planGuardKey = (planId: string, environmentId: string): string => `plan:${planId}:${environmentId}`;

const lockGuardKey = (name: string): string => `lock:${name}`;

/** All guard keys of a run, unique and sorted: concurrent starts then wait in the same order and can't deadlock. */
export function guardKeysOf(run: GuardedRun): string[] {
  const plans = [run, ...(run.called ?? [])].filter(({ parallelSafe }) => !parallelSafe);
  const own = plans.map(({ planId }) => planGuardKey(planId, run.environmentId));
  return [...new Set([...own, ...run.locks.map(lockGuardKey), ...run.hosts.flatMap(hostGuardKeys)])].sort();
}
