import type { HostStatus } from '../../../api/types';

interface Ended {
  status: HostStatus;
}

const WELL: ReadonlySet<HostStatus> = new Set(['SUCCEEDED', 'SKIPPED', 'PENDING', 'CONNECTING', 'RUNNING']);

/** Whether a host that ended a step like this drops out of the later ones. */
export const hasFailed = ({ status }: Ended): boolean => !WELL.has(status);

/** Whether a host of a run takes no part in what comes; steps that run always aside. */
export const isOut = (host: Ended): boolean => host.status === 'SKIPPED' || hasFailed(host);
