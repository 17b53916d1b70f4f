import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { conflict, invalidRequest, notFound, Problem } from '../common/errors/problem.js';
import type { ProblemItem } from '../common/errors/problem-item.js';
import type { Plan } from './records/plan.entity.js';
import { RunPlanReader } from './records/run-plan.reader.js';
import type { PlanContent } from './steps/plan-content.js';
import type { WrittenStep } from './steps/types/step-types.js';
import { findCallFaults } from './checks/call-faults.js';

const MAX_CALL_DEPTH = 8;
/** Maximum number of plans that one plan calls, directly or indirectly. */
const MAX_CALLED_PLANS = 100;

export interface CalledPlanContent {
  plan: Plan;
  content: PlanContent;
}

interface CallingPlan {
  id: string;
  name: string;
}

@Injectable()
export class CalledPlans {
  constructor(private readonly plans: RunPlanReader) {}

  /**
   * Returns all plans that the content calls, directly or indirectly, by ID. Called plans count as part of the calling
   * plan: a token that is restricted to the calling plan may run them.
   * @throws Problem 409 `called_plan_missing` for a plan that the caller cannot see, `circular_call`, `too_many_steps`
   */
  async listReachedPlans(tx: EntityManager, caller: Principal, from: CallingPlan, content: PlanContent) {
    const found = new Map<string, CalledPlanContent>();
    const { planIds: _, ...limits } = caller.limits ?? { access: 'all' as const };
    const starter: Principal = { ...caller, limits: caller.limits && limits };
    await this.visitCalledPlans(tx, starter, { trail: [from], content, found }, (code, message) =>
      conflict(code, message),
    );
    return found;
  }

  /**
   * Validates the calls of a plan that is being saved, and locks the called plans against deletion until the
   * transaction ends.
   * @throws Problem 400 with the path of the step; 404 for a plan that the caller cannot see
   */
  async requireSoundCalls(
    tx: EntityManager,
    caller: Principal,
    from: CallingPlan,
    content: PlanContent,
  ): Promise<void> {
    for (const plan of await this.requireCallablePlans(tx, caller, from, content))
      await this.plans.lockAgainstDeletion(tx, plan);
  }

  /**
   * Returns the plans that the content calls directly, after validating the calls.
   * @throws Problem 400 with the path of the step; 404 for a plan that the caller cannot see
   */
  async requireCallablePlans(
    tx: EntityManager,
    caller: Principal,
    from: CallingPlan,
    content: PlanContent,
  ): Promise<Plan[]> {
    const plans: Plan[] = [];
    const faults: ProblemItem[] = [];
    for (const [index, step] of content.steps.entries()) {
      if (step.type !== 'plan') continue;
      const path = `/steps/${index}`;
      const called = await this.plans.findVisiblePlan(tx, caller, step.planId, `${path}/planId`);
      plans.push(called);
      const found = new Map<string, CalledPlanContent>();
      const only = { ...content, steps: [step] };
      await this.visitCalledPlans(tx, caller, { trail: [from], content: only, found }, (code, message) => {
        if (code === 'called_plan_missing') return notFound(`${path}/planId`);
        const fault = code === 'circular_call' ? code : 'too_many';
        return invalidRequest([{ path: `${path}/planId`, code: fault, message: `Step "${step.key}": ${message}` }]);
      });
      const inner = found.get(called.id);
      if (inner) faults.push(...findCallFaults(step, { name: called.name, content: inner.content }, content, path));
    }
    if (faults.length > 0) throw invalidRequest(faults.slice(0, 20), 'The plan was not saved.');
    return plans;
  }

  private async visitCalledPlans(
    tx: EntityManager,
    caller: Principal,
    {
      trail,
      content,
      found,
    }: { trail: readonly CallingPlan[]; content: PlanContent; found: Map<string, CalledPlanContent> },
    refusal: (code: 'called_plan_missing' | 'circular_call' | 'too_many_steps', message: string) => Problem,
  ): Promise<void> {
    for (const id of new Set(content.steps.flatMap(getCalledIds))) {
      const known = found.get(id) ?? (await this.readCalledPlan(tx, caller, id));
      if (!known)
        throw refusal(
          'called_plan_missing',
          `"${trail.at(-1)?.name}" calls a plan that no longer exists, or that you cannot see.`,
        );
      const further = [...trail, { id: known.plan.id, name: known.plan.name }];
      if (trail.some((each) => each.id === known.plan.id))
        throw refusal(
          'circular_call',
          `The plans call one another in a circle: ${further.map(({ name }) => `"${name}"`).join(' → ')}. Remove one of these calls.`,
        );
      if (further.length > MAX_CALL_DEPTH + 1)
        throw refusal(
          'too_many_steps',
          `Calls of plans can be nested at most ${MAX_CALL_DEPTH} levels deep. Merge some of the plans.`,
        );
      found.set(known.plan.id, known);
      if (found.size > MAX_CALLED_PLANS)
        throw refusal(
          'too_many_steps',
          `A plan can call at most ${MAX_CALLED_PLANS} other plans, including nested calls.`,
        );
      await this.visitCalledPlans(tx, caller, { trail: further, content: known.content, found }, refusal);
    }
  }

  private async readCalledPlan(tx: EntityManager, caller: Principal, id: string): Promise<CalledPlanContent | null> {
    try {
      return await this.plans.readLatest(tx, caller, id);
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return null;
      throw error;
    }
  }
}

const getCalledIds = (step: WrittenStep): string[] => (step.type === 'plan' ? [step.planId.toLowerCase()] : []);
