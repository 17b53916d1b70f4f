import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { OtherServerItem } from '../common/errors/problem.js';

export interface EnvironmentReferrer {
  type: 'server' | 'plan' | 'schedule';
  id: string;
  name: string;
}

/** Returns the first twenty records of one kind that belong to an environment, by name. */
export type ListEnvironmentReferrers = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
) => Promise<EnvironmentReferrer[]>;

/** Servers of other environments that prevent an environment from becoming protected. */
export interface HostProofConflict {
  text: string;
  servers: OtherServerItem[];
}

export interface EnvironmentUsage {
  referrers: readonly ListEnvironmentReferrers[];
  hasOpenRun(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean>;
  /**
   * Finds servers of other environments that have proofs for hosts of this environment. Protecting it would block their
   * runs.
   */
  hostsProvedElsewhere(tx: EntityManager, tenantId: string, environmentId: string): Promise<HostProofConflict | null>;
  hasDepartedServers(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean>;
  confirmHosts(
    tx: EntityManager,
    tenantId: string,
    environmentId: string,
    by: Pick<Principal, 'userId' | 'name'>,
  ): Promise<void>;
  /** Reviews runs that wait for run windows, after the windows have changed. */
  wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void>;
}

/**
 * Injection token of `EnvironmentUsage`, whose implementation combines `inventory`, `plans`, `executions` and
 * `schedules`.
 */
export const ENVIRONMENT_USE = Symbol('environment-use');
