import { toCanonicalAddress } from '../../common/network/host-address.js';

interface HostAddress {
  hostname: string;
  port: number;
}

export interface GuardedRun {
  planId: string;
  environmentId: string;
  hosts: readonly HostAddress[];
  /** Runs of the plan may overlap in an environment if they share no host. */
  parallelSafe: boolean;
  called?: readonly { planId: string; parallelSafe: boolean }[];
  locks: readonly string[];
}

/** Guard key of a host. Two spellings of the same address give the same key. */
export const toHostGuardKey = ({ hostname, port }: HostAddress): string =>
  `host:${toCanonicalAddress(hostname)}:${port}`;

/**
 * All guard keys of a host. Earlier versions used the original spelling of the address. A run that they left with an
 * unknown result still holds such a key.
 */
export function listHostGuardKeys(host: HostAddress): string[] {
  return [...new Set([toHostGuardKey(host), `host:${host.hostname.toLowerCase()}:${host.port}`])];
}

const toPlanGuardKey = (planId: string, environmentId: string): string => `plan:${planId}:${environmentId}`;

const toLockGuardKey = (name: string): string => `lock:${name}`;

/** All guard keys of a run, unique and sorted: concurrent starts lock them in the same order and cannot deadlock. */
export function listRunGuardKeys(run: GuardedRun): string[] {
  const plans = [run, ...(run.called ?? [])].filter(({ parallelSafe }) => !parallelSafe);
  const own = plans.map(({ planId }) => toPlanGuardKey(planId, run.environmentId));
  return [...new Set([...own, ...run.locks.map(toLockGuardKey), ...run.hosts.flatMap(listHostGuardKeys)])].sort();
}
