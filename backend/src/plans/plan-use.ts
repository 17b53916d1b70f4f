import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';

/** A schedule that runs a plan. */
export interface PlanSchedule {
  id: string;
  name: string;
  /** Whether the caller may see it. */
  visible: boolean;
}

/** Tells who uses a plan. */
export interface PlanUse {
  /** Whether a run of it has not finished. */
  hasOpenRun(tx: EntityManager, tenantId: string, planId: string): Promise<boolean>;
  /** Schedules that run it, at most so many, those first that the caller may see. */
  schedulesOf(tx: EntityManager, caller: Principal, planId: string, most: number): Promise<PlanSchedule[]>;
}

/** Injection token of the `PlanUse`; the rooms `executions` and `schedules` answer it. */
export const PLAN_USE = Symbol('plan-use');
