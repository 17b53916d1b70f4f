import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type ActiveFreeze, CollectionReader } from '../collections/collection-reader.js';
import type { Principal } from '../common/access/principal.js';
import { NAMED_CALLER } from '../environments/visible-environment.js';
import { planIsVisible } from './visible-plan.js';
import { notFound } from '../common/errors/problem.js';
import { isId } from '../common/ids.js';
import { type RevisionAuthor, type RevisionRange, revisionAuthors } from '../common/revisions/revision-author.js';
import { Plan, PlanRevision } from './plan.entity.js';
import { type PlanContent, readPlanContent } from './steps/plan-content.js';

/** Hands out plans and the content of their revisions to who may see them. */
@Injectable()
export class RunPlanReader {
  constructor(private readonly collections: CollectionReader) {}

  /**
   * @param path JSON pointer, when the id stood in a body
   * @throws Problem 404
   */
  async visible(tx: EntityManager, caller: Principal, id: string, path?: string): Promise<Plan> {
    const plan = isId(id)
      ? await tx
          .getRepository(Plan)
          .createQueryBuilder('plan')
          .where('plan.tenantId = :tenantId and plan.id = :id', { ...caller, id })
          .andWhere(planIsVisible('plan', NAMED_CALLER))
          .getOne()
      : null;
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

  /** What holds back starts of a plan now; null: nothing does, or the plan was deleted. */
  async freeze(tx: EntityManager, tenantId: string, planId: string): Promise<ActiveFreeze | null> {
    const plan = await tx.getRepository(Plan).findOneBy({ tenantId, id: planId });
    if (!plan?.collectionId) return null;
    return (await this.collections.freezes(tx, tenantId, [plan.collectionId])).get(plan.collectionId) ?? null;
  }

  /** Who saved these revisions of the plan; null: it was deleted. */
  authors(tx: EntityManager, tenantId: string, range: RevisionRange): Promise<RevisionAuthor[] | null> {
    return revisionAuthors(tx, tenantId, { table: 'plan_revisions', record: 'plan_id' }, range);
  }
}
