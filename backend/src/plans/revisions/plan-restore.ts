import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { ValidationPipe } from '../../common/http/validation.pipe.js';
import { toRestoredMessage } from '../../revisions/revision-message.js';
import type { RestoreRequest } from '../../revisions/revisions.dto.js';
import { readLastSource } from '../exchange/plan-sources.js';
import { UpdatePlanRequest } from '../plans.dto.js';
import { PlansService } from '../plans.service.js';
import { type PlanView, toPlanContentView } from '../plans.view.js';
import { RunPlanReader } from '../records/run-plan.reader.js';
import { readPlanContent } from '../steps/plan-content.js';

@Injectable()
export class PlanRestore {
  private readonly validationPipe = new ValidationPipe();

  constructor(
    private readonly units: UnitOfWork,
    private readonly reader: RunPlanReader,
    private readonly plans: PlansService,
  ) {}

  /**
   * @param version version that the caller has read; null = any
   * @throws Problem as for a save of these fields
   */
  async restore(
    caller: Principal,
    planId: string,
    { revision, message }: RestoreRequest,
    version: number | null,
  ): Promise<PlanView> {
    const restoredPlan = await this.units.run(caller.tenantId, async (tx) => {
      const plan = await this.reader.findVisiblePlan(tx, caller, planId);
      const { content } = await this.reader.readRevision(tx, plan, revision, '/revision');
      const source = await readLastSource(tx, { ...plan, revision });
      // Validated by current rules, which may differ from those of the first save.
      const fields = toPlanContentView(readPlanContent(content));
      const body = { type: 'body', metatype: UpdatePlanRequest } as const;
      const request = (await this.validationPipe.transform(fields, body)) as UpdatePlanRequest;
      request.message = toRestoredMessage(message, revision);
      const text = source?.text ?? null;
      return this.plans.updateIn(tx, caller, planId, { request, version, text, action: 'plan.restore' });
    });
    return this.plans.addWarnings(caller, restoredPlan);
  }
}
