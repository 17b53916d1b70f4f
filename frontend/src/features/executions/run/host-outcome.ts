import type { HostStatus } from '../../../api/types';

interface Ended {
  status: HostStatus;
}

const NOT_FAILED: ReadonlySet<HostStatus> = new Set(['SUCCEEDED', 'SKIPPED', 'PENDING', 'CONNECTING', 'RUNNING']);

/** Failed: excluded from later steps. */
export const hasFailed = ({ status }: Ended): boolean => !NOT_FAILED.has(status);

/** Whether a host is excluded from later steps except "always" steps. */
export const isExcluded = (host: Ended): boolean => host.status === 'SKIPPED' || hasFailed(host);
