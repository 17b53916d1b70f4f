import { canonicalAddress } from '../../common/network/host-address.js';

interface Address {
  hostname: string;
  port: number;
}

/** What a run takes for itself until it is finished. */
export interface GuardedRun {
  planId: string;
  environmentId: string;
  hosts: readonly Address[];
  /** Runs of the plan may overlap in an environment as long as they share no host. */
  parallelSafe: boolean;
  /** Plans that it calls. */
  called?: readonly { planId: string; parallelSafe: boolean }[];
  /** Names that only one run at a time may hold. */
  locks: readonly string[];
}

/** The key of a host. The same address registered twice is one host, however it is written. */
export const hostGuardKey = ({ hostname, port }: Address): string => `host:${canonicalAddress(hostname)}:${port}`;

/**
 * All keys of a host. Earlier versions knew an address only as it was written: what they still hold, because nobody has
 * said what became of a command there, is in the way of that server still.
 */
export function hostGuardKeys(host: Address): string[] {
  return [...new Set([hostGuardKey(host), `host:${host.hostname.toLowerCase()}:${host.port}`])];
}

/** The key of a plan in an environment. */
const planGuardKey = (planId: string, environmentId: string): string => `plan:${planId}:${environmentId}`;

/** The key of a lock that plans name. */
const lockGuardKey = (name: string): string => `lock:${name}`;

/**
 * All keys of a run, each once, sorted: racing starts then wait for one another in the same order and can't deadlock.
 */
export function guardKeysOf(run: GuardedRun): string[] {
  const plans = [run, ...(run.called ?? [])].filter(({ parallelSafe }) => !parallelSafe);
  const own = plans.map(({ planId }) => planGuardKey(planId, run.environmentId));
  return [...new Set([...own, ...run.locks.map(lockGuardKey), ...run.hosts.flatMap(hostGuardKeys)])].sort();
}
