import type { EntityManager } from 'typeorm';

/** Tells who uses a plan. */
export interface PlanUse {
  /** Whether a run of it has not finished. */
  hasOpenRun(tx: EntityManager, tenantId: string, planId: string): Promise<boolean>;
}

/** Injection token of the `PlanUse`; the room `executions` answers it. */
export const PLAN_USE = Symbol('plan-use');
