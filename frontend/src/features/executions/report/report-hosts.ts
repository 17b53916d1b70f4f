import type { ExecutionHost, HostStatus } from '../../../api/types';
import { hasFailed } from '../run/host-outcome';

/** Hosts that a report lists. */
const MAX_HOSTS = 500;

export interface ReportHosts {
  /** Number of hosts by status, most first. */
  counts: [status: HostStatus, count: number][];
  /** Listed hosts: failed hosts first, then the rest in their order. */
  listed: ExecutionHost[];
  /** Number of hosts that are not listed, and of failed ones among them. */
  omitted: number;
  omittedFailed: number;
}

/** Selects the hosts of a report. Of a large run, it has the failed ones and no others. */
export function reportHosts(hosts: readonly ExecutionHost[]): ReportHosts {
  const counts = new Map<HostStatus, number>();
  for (const { status } of hosts) counts.set(status, (counts.get(status) ?? 0) + 1);
  const failed = hosts.filter(hasFailed);
  const candidates = hosts.length > MAX_HOSTS ? failed : [...failed, ...hosts.filter((host) => !hasFailed(host))];
  const listed = candidates.slice(0, MAX_HOSTS);
  return {
    counts: [...counts].toSorted(([, one], [, other]) => other - one),
    listed,
    omitted: hosts.length - listed.length,
    omittedFailed: Math.max(0, failed.length - listed.length),
  };
}
