import { toCanonicalAddress } from '../../common/network/host-address.js';

interface Address {
  hostname: string;
  port: number;
}

export interface GuardedRun {
  planId: string;
  environmentId: string;
  hosts: readonly Address[];
  /** Runs of the plan may overlap in an environment if they share no host. */
  parallelSafe: boolean;
  called?: readonly { planId: string; parallelSafe: boolean }[];
  locks: readonly string[];
}

/** Guard key of a host. Two spellings of the same address give the same key. */
export const hostGuardKey = ({ hostname, port }: Address): string => `host:${toCanonicalAddress(hostname)}:${port}`;

/**
 * All guard keys of a host. Earlier versions used the original spelling of the address. A run that they left with an
 * unknown result still holds such a key.
 */
export function hostGuardKeys(host: Address): string[] {
  return [...new Set([hostGuardKey(host), `host:${host.hostname.toLowerCase()}:${host.port}`])];
}

const planGuardKey = (planId: string, environmentId: string): string => `plan:${planId}:${environmentId}`;

const lockGuardKey = (name: string): string => `lock:${name}`;

/** All guard keys of a run, unique and sorted: concurrent starts lock them in the same order and cannot deadlock. */
export function guardKeysOf(run: GuardedRun): string[] {
  const plans = [run, ...(run.called ?? [])].filter(({ parallelSafe }) => !parallelSafe);
  const own = plans.map(({ planId }) => planGuardKey(planId, run.environmentId));
  return [...new Set([...own, ...run.locks.map(lockGuardKey), ...run.hosts.flatMap(hostGuardKeys)])].sort();
}
