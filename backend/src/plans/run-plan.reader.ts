import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { Plan, PlanRevision } from './plan.entity.js';
import { type PlanContent, readPlanContent } from './plan-content.js';

/** Hands out plans and the content of their revisions to who may see them. */
@Injectable()
export class RunPlanReader {
  /**
   * @param path JSON pointer, when the id stood in a body
   * @throws Problem 404
   */
  async visible(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Plan> {
    const plan = isId(id) ? await tx.getRepository(Plan).findOneBy({ tenantId: caller.tenantId, id }) : null;
    if (!plan) throw notFound(path);
    return plan;
  }

  /** The content of the plan's latest revision. */
  async content(tx: EntityManager, plan: Plan): Promise<PlanContent> {
    const revision = await tx
      .getRepository(PlanRevision)
      .findOneByOrFail({ tenantId: plan.tenantId, planId: plan.id, number: plan.revision });
    return readPlanContent(revision.content);
  }

  /** Who saved that revision; null: it is gone with its plan. */
  async editorOf(tx: EntityManager, tenantId: string, planId: string, revision: number): Promise<string | null> {
    const found = await tx.getRepository(PlanRevision).findOneBy({ tenantId, planId, number: revision });
    return found?.createdBy ?? null;
  }
}
