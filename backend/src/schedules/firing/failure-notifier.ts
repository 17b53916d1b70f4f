import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { toUserReference } from '../../common/http/user-reference.view.js';
import { schedulePageUrl } from '../../common/http/web-pages.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { Outbox } from '../../outbox/outbox.js';
import { RunPlanReader } from '../../plans/records/run-plan.reader.js';
import type { FireOutcome, Schedule } from '../records/schedule.entity.js';
import type { FireResult } from './fire-result.js';

/** Outcomes to report as failures. Skipped occurrences are intended by the schedule. */
const FAILURE_OUTCOMES: readonly FireOutcome[] = ['refused', 'missed'];

/**
 * Returns the last reported reason after this outcome; null = none. Each reason is reported once until a run starts.
 * @param reportedCode last reported reason before this outcome
 */
export function getNextReportedCode(
  reportedCode: ReasonCode | null,
  { outcome, reason }: Pick<FireResult, 'outcome' | 'reason'>,
): ReasonCode | null {
  if (outcome === 'started') return null;
  return FAILURE_OUTCOMES.includes(outcome) ? (reason?.code ?? null) : reportedCode;
}

@Injectable()
export class FailureNotifier {
  constructor(
    private readonly outbox: Outbox,
    private readonly plans: RunPlanReader,
    private readonly environments: EnvironmentReader,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** @param paused whether this failure paused the schedule */
  async notify(
    tx: EntityManager,
    { tenantId, id, name, planId, environmentId, ownerId, ownerName }: Schedule,
    { at, outcome, reason, paused }: FireResult & { at: Date; paused: boolean },
  ): Promise<void> {
    const plans = await this.plans.names(tx, tenantId, [planId]);
    const environments = await this.environments.readNames(tx, tenantId, [environmentId]);
    await this.outbox.add(tx, tenantId, {
      ...{ type: 'schedule.failed', planId, environmentId },
      data: {
        schedule: { id, name },
        ...{ planId, planName: plans.get(planId) ?? '' },
        ...{ environmentId, environmentName: environments.get(environmentId) ?? '' },
        ...{ owner: toUserReference(ownerId, ownerName), at: at.toISOString(), outcome, reason, paused },
        webUrl: schedulePageUrl(this.runtime.settings.publicUrl, id),
      },
    });
  }
}
