import type { EntityManager } from 'typeorm';

/** A record that belongs to an environment. */
export interface EnvironmentReferrer {
  type: 'server' | 'plan' | 'schedule';
  id: string;
  name: string;
}

/** Records of one kind that belong to an environment, the first twenty by name. */
export type ReferrersOf = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
) => Promise<EnvironmentReferrer[]>;

/** Tells who uses an environment. */
export interface EnvironmentUse {
  referrers: readonly ReferrersOf[];
  /** Whether a run there has not finished. */
  hasOpenRun(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean>;
  /** Run windows were changed: runs that wait for some are looked at again. */
  wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void>;
}

/** Injection token of the `EnvironmentUse`; the rooms `inventory`, `plans`, `executions` and `schedules` answer it. */
export const ENVIRONMENT_USE = Symbol('environment-use');
