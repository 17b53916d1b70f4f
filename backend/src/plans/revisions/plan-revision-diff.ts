import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ComparedRevisions } from '../../common/library/library-diff.js';
import { compareRevisions } from '../../common/revisions/text-comparison.js';
import { ThreadPool } from '../../common/threads/thread-pool.js';
import { memberNames } from '../../tenancy/directory/member.reader.js';
import type { TextToWrite } from '../code/plan-text.js';
import { planChanges } from '../exchange/plan-changes.js';
import { PlanExport, SYNONYMS } from '../exchange/plan-export.js';
import { lastSource } from '../exchange/plan-sources.js';
import { PlanTexts } from '../exchange/plan-texts.js';
import type { Plan, PlanRevision } from '../plan.entity.js';
import { toPlanRevisionHeadView } from '../plans.view.js';
import { RunPlanReader } from '../run-plan.reader.js';
import { readPlanContent } from '../steps/plan-content.js';
import { type PlanRevisionDiffView, toPlanPartChangeView } from './plan-revisions.view.js';
import { changedParts } from './revision-changes.js';

@Injectable()
export class PlanRevisionDiff {
  constructor(
    private readonly units: UnitOfWork,
    private readonly plans: RunPlanReader,
    private readonly exports: PlanExport,
    private readonly texts: PlanTexts,
    private readonly threads: ThreadPool,
  ) {}

  /** @throws Problem 404; 429 `too_many_at_once`, 503 `busy` */
  async between(
    caller: Principal,
    planId: string,
    { number, against }: ComparedRevisions,
  ): Promise<PlanRevisionDiffView> {
    const { tenantId } = caller;
    const { from, to, authors } = await this.units.run(tenantId, async (tx) => {
      const plan = await this.plans.visible(tx, caller, planId);
      const later = await this.plans.revision(tx, plan, number);
      const earlier = against ?? later.number - 1;
      const first = earlier === 0 ? null : await this.plans.revision(tx, plan, earlier);
      const savedBy = [later, ...(first ? [first] : [])].flatMap(({ createdBy }) => createdBy ?? []);
      return {
        from: first && (await this.written(tx, caller, plan, first)),
        to: await this.written(tx, caller, plan, later),
        authors: await memberNames(tx, tenantId, savedBy),
      };
    });
    // Compares source texts only with source texts: otherwise differences in style would hide differences in content.
    const showsWrittenText = to.text.base !== null && (from === null || from.text.base !== null);
    const requested = [to, ...(from ? [from] : [])].map(({ text }) =>
      showsWrittenText ? text : { ...text, base: null },
    );
    const [after = '', before = ''] = await this.texts.write(caller, requested);
    const compared = await compareRevisions(
      this.threads,
      {
        from: from && { number: from.revision.number, text: before },
        to: { number: to.revision.number, text: after },
      },
      { tenantId, asks: 'request' },
    );
    return {
      from: from && toPlanRevisionHeadView(from.revision, authors),
      to: toPlanRevisionHeadView(to.revision, authors),
      changes: changedParts(planChanges(from?.fields ?? {}, to.fields)).map(toPlanPartChangeView),
      ...compared,
    };
  }

  private async written(tx: EntityManager, caller: Principal, plan: Plan, revision: PlanRevision) {
    const { sparse, full } = await this.exports.formOf(tx, caller, plan, readPlanContent(revision.content));
    const source = await lastSource(tx, { ...plan, revision: revision.number });
    const text: TextToWrite = { sparse, full, synonyms: SYNONYMS, base: source?.text ?? null };
    return { revision, fields: sparse, text };
  }
}
