/** Jobs carry ids only; losing or repeating one is harmless. */
export const QUEUES = {
  /** Some worker should drive this run on. */
  advanceRun: 'advance-run',
  /** Some worker should run this slice of a run's hosts. */
  runSlice: 'run-slice',
  /** Some worker should ask a host what became of a command whose result is unknown. */
  checkHost: 'check-host',
  /** Some worker should carry out this import of servers. */
  importServers: 'import-servers',
  /** Some worker should go on with this rotation of a key. */
  rotateKey: 'rotate-key',
  /** Some worker should bring this git source to what its remote has. */
  syncGitSource: 'sync-git-source',
  /** Some worker should make plans of the folders of this git source. */
  applyPlanFolders: 'apply-plan-folders',
  /** Some worker should send this message of a notification rule. */
  sendNotification: 'send-notification',
} as const;

/** Queues whose jobs continue what began, or send messages about it: taken while the installation drains as well. */
export const CONTINUING: readonly string[] = [
  QUEUES.advanceRun,
  QUEUES.runSlice,
  QUEUES.checkHost,
  QUEUES.sendNotification,
];

/** What an `advance-run` job carries. */
export interface AdvanceRunJob {
  tenantId: string;
  executionId: string;
}

/** What a `run-slice` job carries. */
export interface RunSliceJob extends AdvanceRunJob {
  sliceId: string;
}

/** What a `check-host` job carries. */
export interface CheckHostJob extends AdvanceRunJob {
  stepIndex: number;
  serverId: string;
}

/** What an `import-servers` job carries. */
export interface ImportServersJob {
  tenantId: string;
  importId: string;
}

/** What a `rotate-key` job carries. */
export interface RotateKeyJob {
  tenantId: string;
  rotationId: string;
}

/** What a `sync-git-source` job and an `apply-plan-folders` job carry. */
export interface SyncGitSourceJob {
  tenantId: string;
  gitSourceId: string;
}

/** What a `send-notification` job carries. */
export interface SendNotificationJob {
  tenantId: string;
  deliveryId: string;
}
