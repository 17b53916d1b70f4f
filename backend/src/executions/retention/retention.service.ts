import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import { livingWorkers } from '../../common/queue/worker-heartbeat.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { listEnvironmentsWithRuns } from './due-runs.js';
import type { PreviewRetentionRequest, PutRetentionRuleRequest, RetentionLimits } from './retention.dto.js';
import { RetentionReader } from './retention.reader.js';
import type { RequestedPassView, RetentionPreviewView, RetentionView } from './retention.view.js';
import { deleteRule, requestPass, findRule, loadRules, storeRule } from './retention-rows.js';
import type { RetentionRule } from './retention-rule.js';
import { surveyDueRuns, type RetentionSurvey } from './survey.js';

const PREVIEW_TIME_LIMIT_MS = 8_000;
const MAX_LISTED_FORECASTS = 500;

const toRetentionRule = ({ keepDays = null, keepRuns = null, keepBytes = null }: RetentionLimits): RetentionRule => ({
  keepDays,
  keepRuns,
  keepBytes,
});

interface RuleChange {
  /** Null = the default rule of the tenant. */
  environmentId: string | null;
  rule: RetentionRule | null;
}

/** Retention rules, their previews, and requests for a pass. Nothing here deletes runs; only a pass does. */
@Injectable()
export class RetentionService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
    private readonly reader: RetentionReader,
  ) {}

  /** @throws Problem 404 for an unknown environment */
  async preview(caller: Principal, { environmentId, rule }: PreviewRetentionRequest): Promise<RetentionPreviewView> {
    if (environmentId !== undefined)
      await this.units.run(caller.tenantId, (tx) =>
        this.environments.findVisibleEnvironment(tx, caller, environmentId, '/environmentId'),
      );
    return this.forecastRetention(
      caller,
      rule ? { environmentId: environmentId ?? null, rule: toRetentionRule(rule) } : null,
      environmentId,
    );
  }

  /** @throws Problem 404; 409 `confirmation_required` */
  async putRule(
    caller: Principal,
    environmentId: string | null,
    { confirm = false, reason, ...limits }: PutRetentionRuleRequest,
  ): Promise<RetentionView> {
    const rule = toRetentionRule(limits);
    if (environmentId !== null)
      await this.units.run(caller.tenantId, (tx) =>
        this.environments.findVisibleEnvironment(tx, caller, environmentId),
      );
    if (!confirm) await this.requireConfirmationForHalf(caller, { environmentId, rule });
    await this.units.run(caller.tenantId, async (tx) => {
      const name = environmentId && (await this.environments.findVisibleEnvironment(tx, caller, environmentId)).name;
      const before = await this.loadPreviousRule(tx, caller, environmentId);
      await storeRule(tx, caller.tenantId, environmentId, rule, caller);
      await this.recordChange(tx, caller, { environmentId, name, before, after: reason ? { ...rule, reason } : rule });
    });
    return this.reader.get(caller);
  }

  /** @throws Problem 404; 409 `confirmation_required` */
  async dropRule(caller: Principal, environmentId: string, confirm: boolean): Promise<void> {
    await this.units.run(caller.tenantId, (tx) => this.environments.findVisibleEnvironment(tx, caller, environmentId));
    if (!confirm) await this.requireConfirmationForHalf(caller, { environmentId, rule: null });
    await this.units.run(caller.tenantId, async (tx) => {
      const { name } = await this.environments.findVisibleEnvironment(tx, caller, environmentId);
      const before = await this.loadPreviousRule(tx, caller, environmentId);
      if (await deleteRule(tx, caller.tenantId, environmentId))
        await this.recordChange(tx, caller, { environmentId, name, before, after: null });
    });
  }

  requestPass(caller: Principal): Promise<RequestedPassView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await requestPass(tx, caller.tenantId, caller.name);
      await this.audit.record(tx, caller, { action: 'retention.request_pass' });
      return { requestedAt: new Date().toISOString(), workers: await livingWorkers(tx) };
    });
  }

  /**
   * Rejects a change that would delete more than half of the runs or bytes.
   * @throws Problem 409 `confirmation_required`
   */
  private async requireConfirmationForHalf(caller: Principal, change: RuleChange): Promise<void> {
    const found = await this.forecastRetention(caller, change, change.environmentId ?? undefined);
    if (!found.needsConfirmation) return;
    const { runs, bytes, ofRuns, ofBytes, complete } = found;
    throw conflict(
      'confirmation_required',
      `The next pass would delete ${complete ? '' : 'at least '}${runs} of ${ofRuns} runs and ${bytes} of ${ofBytes} bytes of output. Check the preview, then send the request again with confirm.`,
      { removal: { runs, bytes, ofRuns, ofBytes } },
    );
  }

  /**
   * Returns the effect of the rules after the change, in one environment or in all environments that it affects.
   * @param change null = the current rules
   */
  private async forecastRetention(
    caller: Principal,
    change: RuleChange | null,
    environmentId: string | undefined,
  ): Promise<RetentionPreviewView> {
    const { tenantId } = caller;
    const { rules, ids } = await this.units.run(tenantId, async (tx) => ({
      rules: await loadRules(tx, tenantId),
      ids: environmentId === undefined ? await listEnvironmentsWithRuns(tx, tenantId) : [environmentId],
    }));
    const others = rules.filter((rule) => !change || rule.environmentId !== change.environmentId);
    const changed = change?.rule
      ? [...others, { ...change.rule, environmentId: change.environmentId, updatedAt: new Date(), updatedBy: null }]
      : others;
    const ruleSubject =
      change?.environmentId === null ? ids.filter((id) => !others.some((rule) => rule.environmentId === id)) : ids;
    const until = Date.now() + PREVIEW_TIME_LIMIT_MS;
    const surveys: RetentionSurvey[] = [];
    for (const id of ruleSubject)
      surveys.push(await surveyDueRuns(this.units, { tenantId, environmentId: id }, findRule(changed, id), until));
    return this.reader.toPreviewView(caller, surveys, MAX_LISTED_FORECASTS);
  }

  private async loadPreviousRule(tx: EntityManager, caller: Principal, environmentId: string | null) {
    const found = (await loadRules(tx, caller.tenantId)).find((rule) => rule.environmentId === environmentId);
    return found ? toRetentionRule(found) : null;
  }

  private recordChange(
    tx: EntityManager,
    caller: Principal,
    change: {
      environmentId: string | null;
      name: string | null;
      before: RetentionRule | null;
      after: (RetentionRule & { reason?: string }) | null;
    },
  ): Promise<void> {
    const { environmentId, name, before, after } = change;
    return this.audit.record(tx, caller, {
      action: 'retention.update',
      resourceType: environmentId ? 'environment' : undefined,
      resourceId: environmentId,
      resourceName: name,
      before,
      after,
    });
  }
}
