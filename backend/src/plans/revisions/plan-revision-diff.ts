import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import type { ComparedRevisions } from '../../library/library-diff.js';
import { compareRevisions } from '../../revisions/text-comparison.js';
import { ThreadPool } from '../../common/threads/thread-pool.js';
import { readMemberNames } from '../../tenancy/directory/member.reader.js';
import type { TextToWrite } from '../code/plan-text.js';
import { findPlanChanges } from '../exchange/plan-changes.js';
import { PlanExport, REFERENCE_SYNONYMS } from '../exchange/plan-export.js';
import { readLastSource } from '../exchange/plan-sources.js';
import { PlanTexts } from '../exchange/plan-texts.js';
import type { Plan, PlanRevision } from '../records/plan.entity.js';
import { toPlanRevisionHeadView } from '../plans.view.js';
import { RunPlanReader } from '../records/run-plan.reader.js';
import { readPlanContent } from '../steps/plan-content.js';
import { type PlanRevisionDiffView, toPlanPartChangeView } from './plan-revisions.view.js';
import { toChangedParts } from './revision-changes.js';

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
      const plan = await this.plans.findVisiblePlan(tx, caller, planId);
      const later = await this.plans.readRevision(tx, plan, number);
      const earlier = against ?? later.number - 1;
      const first = earlier === 0 ? null : await this.plans.readRevision(tx, plan, earlier);
      const savedBy = [later, ...(first ? [first] : [])].flatMap(({ createdBy }) => createdBy ?? []);
      return {
        from: first && (await this.toWrittenText(tx, caller, plan, first)),
        to: await this.toWrittenText(tx, caller, plan, later),
        authors: await readMemberNames(tx, tenantId, savedBy),
      };
    });
    // Compares source texts only with source texts: otherwise differences in style would hide differences in content.
    const showsWrittenText = to.text.base !== null && (from === null || from.text.base !== null);
    const requested = [to, ...(from ? [from] : [])].map(({ text }) =>
      showsWrittenText ? text : { ...text, base: null },
    );
    const [after = '', before = ''] = await this.texts.writeTexts(caller, requested);
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
      changes: toChangedParts(findPlanChanges(from?.fields ?? {}, to.fields)).map(toPlanPartChangeView),
      ...compared,
    };
  }

  private async toWrittenText(tx: EntityManager, caller: Principal, plan: Plan, revision: PlanRevision) {
    const { sparse, full } = await this.exports.readPlanForm(tx, caller, plan, readPlanContent(revision.content));
    const source = await readLastSource(tx, { ...plan, revision: revision.number });
    const text: TextToWrite = { sparse, full, synonyms: REFERENCE_SYNONYMS, base: source?.text ?? null };
    return { revision, fields: sparse, text };
  }
}
