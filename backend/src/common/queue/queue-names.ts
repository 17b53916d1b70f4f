/** Names of the queues. Jobs contain only IDs, so losing or repeating one is harmless. */
export const QUEUES = {
  advanceRun: 'advance-run',
  runSlice: 'run-slice',
  checkHost: 'check-host',
  importServers: 'import-servers',
  rotateKey: 'rotate-key',
  syncGitSource: 'sync-git-source',
  applyPlanFolders: 'apply-plan-folders',
  sendNotification: 'send-notification',
} as const;

export type QueueName = (typeof QUEUES)[keyof typeof QUEUES];

/** Content of the jobs of each queue. */
interface JobByQueue {
  'advance-run': AdvanceRunJob;
  'run-slice': RunSliceJob;
  'check-host': CheckHostJob;
  'import-servers': ImportServersJob;
  'rotate-key': RotateKeyJob;
  'sync-git-source': SyncGitSourceJob;
  'apply-plan-folders': SyncGitSourceJob;
  'send-notification': SendNotificationJob;
}
export type JobOf<Queue extends QueueName> = JobByQueue[Queue];

/** Queues that continue running work or send messages about it. They are served even while the installation drains. */
export const CONTINUING_QUEUES: readonly string[] = [
  QUEUES.advanceRun,
  QUEUES.runSlice,
  QUEUES.checkHost,
  QUEUES.sendNotification,
];

export interface AdvanceRunJob {
  tenantId: string;
  executionId: string;
}

export interface RunSliceJob extends AdvanceRunJob {
  sliceId: string;
}

export interface CheckHostJob extends AdvanceRunJob {
  stepIndex: number;
  serverId: string;
}

export interface ImportServersJob {
  tenantId: string;
  importId: string;
}

export interface RotateKeyJob {
  tenantId: string;
  rotationId: string;
}

export interface SyncGitSourceJob {
  tenantId: string;
  gitSourceId: string;
}

export interface SendNotificationJob {
  tenantId: string;
  deliveryId: string;
}
