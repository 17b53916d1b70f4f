import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { invalidRequest } from '../common/errors/problem.js';
import type { VariableValue } from '../variables/variable-value.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { requireAllowedMode } from '../executions/commands/start/freezing/expanded-run.js';
import { parseSelectorAt } from '../inventory/server-lookup.js';
import { RunPlanReader } from '../plans/records/run-plan.reader.js';
import type { PlanContent } from '../plans/steps/plan-content.js';
import { isSameTiming, validateTiming } from './requested-timing.js';
import { requireSecretsSent, type ScheduleValues, RequestedVariables } from './requested-variables.js';
import type { Schedule } from './records/schedule.entity.js';
import { ScheduleVault } from './records/schedule-vault.js';
import type { CreateScheduleRequest, UpdateScheduleRequest } from './schedules.dto.js';
import { maskOf } from './schedules.view.js';
import { computeDelayMs } from './timing/due-work.js';
import { computeNextTime } from './timing/timing.js';

type ScheduleColumns = Omit<Schedule, 'id' | 'tenantId' | 'createdAt' | 'updatedAt' | 'version' | LastFireColumns>;
type LastFireColumns = 'lastAt' | 'lastOutcome' | 'lastCode' | 'lastText' | 'lastExecutionId';

/** Fields that affect neither the content nor the timing of runs. */
const DESCRIPTIVE_FIELDS = ['name', 'note', 'labels', 'enabled', 'pausedReason'] as const;

@Injectable()
export class RequestedSchedule {
  constructor(
    private readonly plans: RunPlanReader,
    private readonly environments: EnvironmentReader,
    private readonly values: RequestedVariables,
    private readonly vault: ScheduleVault,
  ) {}

  /** @param now time of the database clock @throws Problem 400; 404; 403 `grant_required`; 409 `mode_not_allowed` */
  async toCreatedColumns(
    tx: EntityManager,
    caller: Principal,
    id: string,
    request: CreateScheduleRequest,
    now: Date,
  ): Promise<ScheduleColumns> {
    const timing = validateTiming(request, null, now);
    const { planId, execution_mode: executionMode, targets = '' } = request;
    const validatedTarget = await this.validatePlace(tx, caller, { ...request, planId, executionMode, targets });
    const requestedValues = await this.values.read(tx, validatedTarget, request.variables ?? {}, {});
    const { enabled = true, jitterSeconds = 0 } = request;
    return {
      ...{ name: request.name, note: request.note ?? null, labels: request.labels ?? {} },
      ...{ planId, environmentId: validatedTarget.environmentId, executionMode, targets },
      ...this.sealValues(caller.tenantId, id, 1, requestedValues),
      ...timing,
      ...{ jitterSeconds, onOverlap: request.onOverlap ?? 'skip', onMissed: request.onMissed ?? 'skip' },
      ...this.toPauseColumns(caller, enabled, request.pausedReason, now),
      ...toOwnerColumns(caller, now),
      ...getNextDue({ id, ...timing, jitterSeconds }, now),
    };
  }

  /** @param schedule must include its sealed values @throws Problem like `toCreatedColumns` */
  async toChangedColumns(
    tx: EntityManager,
    caller: Principal,
    schedule: Schedule,
    request: UpdateScheduleRequest,
    now: Date,
  ): Promise<Partial<ScheduleColumns>> {
    const { name, note, labels } = request;
    const columns: Partial<ScheduleColumns> = { name, note, labels };
    if (doesChangeRuns(schedule, request)) {
      const { planId = schedule.planId, execution_mode: executionMode = schedule.executionMode } = request;
      const { targets = schedule.targets, onOverlap, onMissed, jitterSeconds } = request;
      const environmentId = request.environmentId ?? (planId === schedule.planId ? schedule.environmentId : undefined);
      const validatedTarget = await this.validatePlace(tx, caller, { planId, environmentId, executionMode, targets });
      const requestedValues = await this.toChangedValues(tx, schedule, request.variables, {
        ...validatedTarget,
        planId,
      });
      Object.assign(columns, {
        ...{ planId, environmentId: validatedTarget.environmentId, executionMode, targets },
        ...this.sealValues(caller.tenantId, schedule.id, schedule.sealedVersion + 1, requestedValues),
        ...{ onOverlap, onMissed, jitterSeconds },
        ...toOwnerColumns(caller, now),
      });
    }
    const timing = validateTiming(request, schedule, now);
    const { enabled = schedule.enabled, jitterSeconds = schedule.jitterSeconds } = request;
    if (!isSameTiming(timing, schedule)) Object.assign(columns, timing);
    // Occurrences during a pause do not count as missed.
    const begins = enabled && !schedule.enabled;
    if (begins || !isSameTiming(timing, schedule) || jitterSeconds !== schedule.jitterSeconds)
      Object.assign(columns, getNextDue({ id: schedule.id, ...timing, jitterSeconds }, now));
    if (begins) Object.assign(columns, toOwnerColumns(caller, now));
    const said = request.pausedReason !== undefined && request.pausedReason !== schedule.pausedReason;
    if (enabled !== schedule.enabled || said)
      Object.assign(columns, this.toPauseColumns(caller, enabled, request.pausedReason, now));
    return columns;
  }

  /** A new owner must be able to see the plan. @throws Problem 404 */
  async requirePlan(tx: EntityManager, caller: Principal, { planId }: Pick<Schedule, 'planId'>): Promise<void> {
    await this.plans.findVisiblePlan(tx, caller, planId, '/planId');
  }

  private async validatePlace(
    tx: EntityManager,
    caller: Principal,
    requested: Pick<Schedule, 'planId' | 'executionMode' | 'targets'> & { environmentId?: string },
  ): Promise<{ tenantId: string; environmentId: string; content: PlanContent }> {
    const { plan, content } = await this.plans.readLatest(tx, caller, requested.planId, '/planId');
    await this.plans.lockAgainstDeletion(tx, plan);
    const environmentId = requested.environmentId ?? plan.environmentId;
    if (environmentId === null) {
      const message = 'The plan has no default environment. Send environmentId.';
      throw invalidRequest([{ path: '/environmentId', code: 'required', message }]);
    }
    const environment = await this.environments.requireRunnable(tx, caller, environmentId, '/environmentId');
    requireAllowedMode(environment.name, environment.allowedModes, requested.executionMode);
    requireAllowedMode(plan.name, content.allowedModes, requested.executionMode);
    parseSelectorAt(requested.targets, '/targets');
    return { tenantId: caller.tenantId, environmentId, content };
  }

  private toChangedValues(
    tx: EntityManager,
    schedule: Schedule,
    requested: Record<string, VariableValue> | undefined,
    validatedTarget: { tenantId: string; planId: string; environmentId: string; content: PlanContent },
  ): Promise<ScheduleValues> {
    const { tenantId, id, sealedVersion, sealedVariables, secretNames } = schedule;
    const masks = Object.fromEntries(secretNames.map((name) => [name, maskOf(name)]));
    const values = requested ?? { ...schedule.variables, ...masks };
    if (validatedTarget.planId !== schedule.planId || validatedTarget.environmentId !== schedule.environmentId)
      requireSecretsSent(secretNames.filter((name) => values[name] === maskOf(name)));
    return this.values.read(tx, validatedTarget, values, this.vault.open(tenantId, id, sealedVersion, sealedVariables));
  }

  private sealValues(tenantId: string, id: string, sealedVersion: number, { plain, secrets }: ScheduleValues) {
    return {
      variables: plain,
      secretNames: Object.keys(secrets).sort(),
      sealedVersion,
      sealedVariables: this.vault.seal(tenantId, id, sealedVersion, secrets),
    };
  }

  private toPauseColumns(caller: Principal, enabled: boolean, reason: string | undefined, now: Date) {
    return enabled
      ? { enabled, pausedReason: null, pausedCode: null, pausedBy: null, pausedByName: null, pausedAt: null }
      : {
          ...{ enabled, pausedReason: reason ?? null, pausedCode: 'person' as const },
          ...{ pausedBy: caller.userId, pausedByName: caller.name, pausedAt: now },
        };
  }
}

/** Columns that identify the owner and limit the runs to the rights of the owner's credential. */
export const toOwnerColumns = ({ userId, name, heldBy, limits }: Principal, now: Date) => ({
  ...{ ownerId: userId, ownerName: name, vouchedAt: now, toldCode: null },
  ...{ ownerHeldBy: [...heldBy], ownerLimits: limits },
});

function getNextDue(timing: Parameters<typeof computeDelayMs>[0] & Parameters<typeof computeNextTime>[0], now: Date) {
  const nextAt = computeNextTime(timing, now);
  return { nextAt, dueAt: nextAt && new Date(nextAt.getTime() + computeDelayMs(timing)) };
}

export function doesChangeRuns(schedule: Schedule, request: UpdateScheduleRequest): boolean {
  const { execution_mode: executionMode, variables, ...rest } = request;
  if (executionMode !== undefined && executionMode !== schedule.executionMode) return true;
  if (variables !== undefined) return true;
  const descriptiveFields: readonly string[] = DESCRIPTIVE_FIELDS;
  return Object.entries(rest).some(
    ([field, value]) =>
      !descriptiveFields.includes(field) && value !== undefined && value !== schedule[field as keyof Schedule],
  );
}
