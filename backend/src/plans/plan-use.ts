import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

export interface PlanSchedule {
  id: string;
  name: string;
  visible: boolean;
}

/** Port: records that use a plan. */
export interface PlanUse {
  hasOpenRun(tx: EntityManager, tenantId: string, planId: string): Promise<boolean>;
  /** At most `most` schedules of the plan, those that the caller can see first. */
  schedulesOf(tx: EntityManager, caller: Principal, planId: string, most: number): Promise<PlanSchedule[]>;
}

/** Injection token of `PlanUse`; implemented by the modules `executions` and `schedules`. */
export const PLAN_USE = Symbol('plan-use');
