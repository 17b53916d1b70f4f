import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { invalidRequest } from '../common/errors/problem.js';
import type { VariableValue } from '../common/variables/variable-value.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { requireAllowedMode } from '../executions/commands/start/freezing/require-mode.js';
import { parseSelectorAt } from '../inventory/server-lookup.js';
import { RunPlanReader } from '../plans/run-plan.reader.js';
import type { PlanContent } from '../plans/steps/plan-content.js';
import { isSameTiming, requestedTiming } from './requested-timing.js';
import { requireSecretsSent, type ScheduleValues, RequestedVariables } from './requested-variables.js';
import type { Schedule } from './records/schedule.entity.js';
import { ScheduleVault } from './records/schedule-vault.js';
import type { CreateScheduleRequest, UpdateScheduleRequest } from './schedules.dto.js';
import { maskOf } from './schedules.view.js';
import { delayMs } from './timing/due-work.js';
import { nextTime } from './timing/timing.js';

type Columns = Omit<Schedule, 'id' | 'tenantId' | 'createdAt' | 'updatedAt' | 'version' | LastColumns>;
type LastColumns = 'lastAt' | 'lastOutcome' | 'lastCode' | 'lastText' | 'lastExecutionId';

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

  /** @param now time of the database clock @throws Problem 400; 404; 409 `grant_required`, `mode_not_allowed` */
  async created(
    tx: EntityManager,
    caller: Principal,
    id: string,
    request: CreateScheduleRequest,
    now: Date,
  ): Promise<Columns> {
    const timing = requestedTiming(request, null, now);
    const { planId, execution_mode: executionMode, targets = '' } = request;
    const validatedTarget = await this.place(tx, caller, { ...request, planId, executionMode, targets });
    const requestedValues = await this.values.read(tx, validatedTarget, request.variables ?? {}, {});
    const { enabled = true, jitterSeconds = 0 } = request;
    return {
      ...{ name: request.name, note: request.note ?? null, labels: request.labels ?? {} },
      ...{ planId, environmentId: validatedTarget.environmentId, executionMode, targets },
      ...this.sealed(caller.tenantId, id, 1, requestedValues),
      ...timing,
      ...{ jitterSeconds, onOverlap: request.onOverlap ?? 'skip', onMissed: request.onMissed ?? 'skip' },
      ...this.pauseColumns(caller, enabled, request.pausedReason, now),
      ...toOwnerColumns(caller, now),
      ...getNextDue({ id, ...timing, jitterSeconds }, now),
    };
  }

  /** @param schedule must include its sealed values @throws Problem like `created` */
  async changed(
    tx: EntityManager,
    caller: Principal,
    schedule: Schedule,
    request: UpdateScheduleRequest,
    now: Date,
  ): Promise<Partial<Columns>> {
    const { name, note, labels } = request;
    const columns: Partial<Columns> = { name, note, labels };
    if (changesRuns(schedule, request)) {
      const { planId = schedule.planId, execution_mode: executionMode = schedule.executionMode } = request;
      const { targets = schedule.targets, onOverlap, onMissed, jitterSeconds } = request;
      const environmentId = request.environmentId ?? (planId === schedule.planId ? schedule.environmentId : undefined);
      const validatedTarget = await this.place(tx, caller, { planId, environmentId, executionMode, targets });
      const requestedValues = await this.changedValues(tx, schedule, request.variables, { ...validatedTarget, planId });
      Object.assign(columns, {
        ...{ planId, environmentId: validatedTarget.environmentId, executionMode, targets },
        ...this.sealed(caller.tenantId, schedule.id, schedule.sealedVersion + 1, requestedValues),
        ...{ onOverlap, onMissed, jitterSeconds },
        ...toOwnerColumns(caller, now),
      });
    }
    const timing = requestedTiming(request, schedule, now);
    const { enabled = schedule.enabled, jitterSeconds = schedule.jitterSeconds } = request;
    if (!isSameTiming(timing, schedule)) Object.assign(columns, timing);
    // Occurrences during a pause do not count as missed.
    const begins = enabled && !schedule.enabled;
    if (begins || !isSameTiming(timing, schedule) || jitterSeconds !== schedule.jitterSeconds)
      Object.assign(columns, getNextDue({ id: schedule.id, ...timing, jitterSeconds }, now));
    if (begins) Object.assign(columns, toOwnerColumns(caller, now));
    const said = request.pausedReason !== undefined && request.pausedReason !== schedule.pausedReason;
    if (enabled !== schedule.enabled || said)
      Object.assign(columns, this.pauseColumns(caller, enabled, request.pausedReason, now));
    return columns;
  }

  /** A new owner must be able to see the plan. @throws Problem 404 */
  async requirePlan(tx: EntityManager, caller: Principal, { planId }: Pick<Schedule, 'planId'>): Promise<void> {
    await this.plans.visible(tx, caller, planId, '/planId');
  }

  private async place(
    tx: EntityManager,
    caller: Principal,
    requested: Pick<Schedule, 'planId' | 'executionMode' | 'targets'> & { environmentId?: string },
  ): Promise<{ tenantId: string; environmentId: string; content: PlanContent }> {
    const { plan, content } = await this.plans.latest(tx, caller, requested.planId, '/planId');
    await this.plans.keep(tx, plan);
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

  private changedValues(
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

  private sealed(tenantId: string, id: string, sealedVersion: number, { plain, secrets }: ScheduleValues) {
    return {
      variables: plain,
      secretNames: Object.keys(secrets).sort(),
      sealedVersion,
      sealedVariables: this.vault.seal(tenantId, id, sealedVersion, secrets),
    };
  }

  private pauseColumns(caller: Principal, enabled: boolean, reason: string | undefined, now: Date) {
    return enabled
      ? { enabled, pausedReason: null, pausedByName: null, pausedAt: null }
      : { enabled, pausedReason: reason ?? null, pausedByName: caller.name, pausedAt: now };
  }
}

/** Columns that identify the owner and limit the runs to the rights of the owner's credential. */
export const toOwnerColumns = ({ userId, name, heldBy, limits }: Principal, now: Date) => ({
  ...{ ownerId: userId, ownerName: name, vouchedAt: now, toldCode: null },
  ...{ ownerHeldBy: [...heldBy], ownerLimits: limits },
});

function getNextDue(timing: Parameters<typeof delayMs>[0] & Parameters<typeof nextTime>[0], now: Date) {
  const nextAt = nextTime(timing, now);
  return { nextAt, dueAt: nextAt && new Date(nextAt.getTime() + delayMs(timing)) };
}

export function changesRuns(schedule: Schedule, request: UpdateScheduleRequest): boolean {
  const { execution_mode: executionMode, variables, ...rest } = request;
  if (executionMode !== undefined && executionMode !== schedule.executionMode) return true;
  if (variables !== undefined) return true;
  const descriptiveFields: readonly string[] = DESCRIPTIVE_FIELDS;
  return Object.entries(rest).some(
    ([field, value]) =>
      !descriptiveFields.includes(field) && value !== undefined && value !== schedule[field as keyof Schedule],
  );
}
