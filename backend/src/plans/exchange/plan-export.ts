import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { notFound } from '../../common/errors/problem.js';
import { toContentFields, type PlanForm, toPlanForm } from '../code/plan-form.js';
import type { Fields, TextToWrite } from '../code/plan-text.js';
import { PLAN_REFERENCES } from '../code/references.js';
import { STEP_REFERENCES } from '../steps/types/step-types.js';
import { Plan, PlanRevision } from '../records/plan.entity.js';
import { RunPlanReader } from '../records/run-plan.reader.js';
import { type PlanContent, readPlanContent } from '../steps/plan-content.js';
import { PlanNames } from './plan-names.js';
import { readLastSource } from './plan-sources.js';
import { PlanTexts } from './plan-texts.js';

export const REFERENCE_SYNONYMS = [...PLAN_REFERENCES, ...STEP_REFERENCES].map(({ id, name }) => [id, name] as const);

/** Exports plans as YAML. Keeps the style of the last text where it still matches the plan. */
@Injectable()
export class PlanExport {
  constructor(
    private readonly units: UnitOfWork,
    private readonly plans: RunPlanReader,
    private readonly names: PlanNames,
    private readonly texts: PlanTexts,
  ) {}

  /**
   * @param number number of a revision; undefined: the latest
   * @throws Problem 404
   */
  async exportPlan(caller: Principal, planId: string, number?: number): Promise<{ name: string; yaml: string }> {
    const { name, text } = await this.units.run(caller.tenantId, async (tx) => {
      const plan = await this.plans.findVisiblePlan(tx, caller, planId);
      const revision = number ?? plan.revision;
      const content = await this.readContent(tx, plan, revision);
      const source = await readLastSource(tx, { ...plan, revision });
      const { sparse, full } = await this.readPlanForm(tx, caller, plan, content);
      return { name: plan.name, text: { sparse, full, synonyms: REFERENCE_SYNONYMS, base: source?.text ?? null } };
    });
    const [yaml = ''] = await this.texts.writeTexts(caller, [text satisfies TextToWrite]);
    return { name, yaml };
  }

  async readPlanForm(tx: EntityManager, caller: Principal, plan: Plan, content: PlanContent): Promise<PlanForm> {
    const { name, description, environmentId, collectionId } = plan;
    const fields: Fields = { name, description, environmentId, collectionId, ...toContentFields(content) };
    return toPlanForm(fields, await this.names.readReferenceNames(tx, caller, fields));
  }

  private async readContent(tx: EntityManager, plan: Plan, number: number): Promise<PlanContent> {
    const key = { tenantId: plan.tenantId, planId: plan.id, number };
    const revision = await tx.getRepository(PlanRevision).findOneBy(key);
    if (!revision) throw notFound();
    return readPlanContent(revision.content);
  }
}
