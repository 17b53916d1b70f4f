import type { EntityManager } from 'typeorm';
import type { OtherServerItem } from '../common/errors/problem.js';

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

/** What protection would take from other environments, and why it is refused. */
export interface ProvedElsewhere {
  text: string;
  servers: OtherServerItem[];
}

/** Tells who uses an environment. */
export interface EnvironmentUse {
  referrers: readonly ReferrersOf[];
  /** Whether a run there has not finished. */
  hasOpenRun(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean>;
  /** Servers of other environments that were proved to be hosts of this one: its protection would keep them away. */
  hostsProvedElsewhere(tx: EntityManager, tenantId: string, environmentId: string): Promise<ProvedElsewhere | null>;
  /** Whether servers left it whose hosts it still protects. */
  hasDepartedServers(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean>;
  /** Confirms that the servers are hosts of the environment, on behalf of an approver. */
  confirmHosts(tx: EntityManager, tenantId: string, environmentId: string, by: string): Promise<void>;
  /** Run windows were changed: runs that wait for some are looked at again. */
  wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void>;
}

/** Injection token of the `EnvironmentUse`; the rooms `inventory`, `plans`, `executions` and `schedules` answer it. */
export const ENVIRONMENT_USE = Symbol('environment-use');
