import type { EntityManager } from 'typeorm';
import type { OtherServerItem } from '../common/errors/problem.js';

export interface EnvironmentReferrer {
  type: 'server' | 'plan' | 'schedule';
  id: string;
  name: string;
}

/** Records of one kind that belong to an environment; the first twenty by name. */
export type ReferrersOf = (
  tx: EntityManager,
  tenantId: string,
  environmentId: string,
) => Promise<EnvironmentReferrer[]>;

/** Conflict between protecting an environment and servers of other environments. */
export interface ProofConflict {
  text: string;
  servers: OtherServerItem[];
}

export interface EnvironmentUse {
  referrers: readonly ReferrersOf[];
  hasOpenRun(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean>;
  /** Servers of other environments with proofs for hosts of this one. Protecting it would block their runs. */
  hostsProvedElsewhere(tx: EntityManager, tenantId: string, environmentId: string): Promise<ProofConflict | null>;
  /** Whether the environment still protects hosts of servers that left it. */
  hasDepartedServers(tx: EntityManager, tenantId: string, environmentId: string): Promise<boolean>;
  /** Confirms the servers as hosts of the environment, on behalf of an approver. */
  confirmHosts(tx: EntityManager, tenantId: string, environmentId: string, by: string): Promise<void>;
  /** Reviews runs that wait for run windows, after a change of the windows. */
  wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void>;
}

/** Injection token of `EnvironmentUse`, which combines `inventory`, `plans`, `executions` and `schedules`. */
export const ENVIRONMENT_USE = Symbol('environment-use');
