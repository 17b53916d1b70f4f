import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';

export interface PlanSchedule {
  id: string;
  name: string;
  visible: boolean;
}

export interface PlanUsage {
  hasOpenRun(tx: EntityManager, tenantId: string, planId: string): Promise<boolean>;
  /** Returns at most `limit` schedules of the plan, first those that the caller can see. */
  listSchedulesOfPlan(tx: EntityManager, caller: Principal, planId: string, limit: number): Promise<PlanSchedule[]>;
}

/** Injection token of `PlanUsage`, which the modules `executions` and `schedules` implement. */
export const PLAN_USE = Symbol('plan-use');
