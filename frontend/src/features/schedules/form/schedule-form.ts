import type { CreateScheduleRequest, Plan, RunMode, Schedule } from '../../../api/types';
import { labelsOf, labelTexts } from '../../../ui/runs/labels';
import { enteredValues, hasValue, type TypedValue, initialTypedValue } from '../../../ui/variables/typed-value';
import { intervalOf, type TimingForm, timingOf } from '../times/timing';

export interface ScheduleForm extends TimingForm {
  name: string;
  planId: string | null;
  environmentId: string | null;
  mode: RunMode;
  targets: string;
  note: string;
  /** Labels as `key=value`. */
  labels: string[];
  jitterSeconds: number | string;
  onOverlap: 'skip' | 'queue';
  onMissed: 'skip' | 'once';
  variables: Record<string, TypedValue>;
}

/** Placeholder of a stored secret value. */
const maskOf = (name: string): string => `‹secret ${name}›`;

export const newSchedule = (planId: string | null, timeZone: string): ScheduleForm => ({
  ...{ kind: 'cron', cron: '0 2 * * *', timeZone, every: 1, unit: '3600' },
  ...{ name: '', planId, environmentId: null, mode: 'auto', targets: '', note: '', labels: [] },
  ...{ jitterSeconds: 0, onOverlap: 'skip', onMissed: 'skip', variables: {} },
});

/** @param plan current plan, because types of variables may have changed since the schedule was saved */
export const formOf = (schedule: Schedule, plan: Plan): ScheduleForm => ({
  kind: schedule.cron === null ? 'interval' : 'cron',
  cron: schedule.cron ?? '0 2 * * *',
  timeZone: schedule.timeZone,
  ...(schedule.everySeconds === null ? { every: 1, unit: '3600' } : intervalOf(schedule.everySeconds)),
  name: schedule.name,
  planId: schedule.planId,
  environmentId: schedule.environmentId,
  mode: schedule.execution_mode,
  targets: schedule.targets,
  note: schedule.note ?? '',
  labels: labelTexts(schedule.labels),
  jitterSeconds: schedule.jitterSeconds,
  onOverlap: schedule.onOverlap,
  onMissed: schedule.onMissed,
  variables: Object.fromEntries(
    plan.variables.map(({ name, type }) => {
      const value = schedule.variables[name];
      return [name, initialTypedValue(type, value === maskOf(name) ? undefined : value)];
    }),
  ),
});

/**
 * Names of stored secret values that stay if their field is left empty. Only the schedule's own plan and environment
 * have any.
 */
export function keptSecrets(schedule: Schedule | null, { planId, environmentId }: ScheduleForm): string[] {
  if (!schedule || schedule.planId !== planId || schedule.environmentId !== environmentId) return [];
  return Object.entries(schedule.variables).flatMap(([name, value]) => (value === maskOf(name) ? [name] : []));
}

/** Form field for each field of the request. */
const FORM_FIELDS: Record<string, keyof ScheduleForm> = {
  ...{ name: 'name', planId: 'planId', environmentId: 'environmentId', execution_mode: 'mode', targets: 'targets' },
  ...{ note: 'note', labels: 'labels', cron: 'cron', everySeconds: 'every', timeZone: 'timeZone' },
  jitterSeconds: 'jitterSeconds',
};

/**
 * Returns the form field for an error at `path` of the request; null = none.
 * @param declared names of the plan's variables
 */
export const fieldOf = (path: string, declared: readonly string[]): string | null =>
  declared.some((name) => path === `variables.${name}`) ? path : (FORM_FIELDS[path] ?? null);

/** @param declared names of the plan's variables; values of other names are dropped */
export function toRequest(
  form: ScheduleForm,
  declared: readonly string[],
  kept: readonly string[],
): CreateScheduleRequest {
  const typed = Object.fromEntries(declared.map((name) => [name, form.variables[name] ?? '']));
  const secretMasks = kept.filter((name) => !hasValue(typed[name] ?? '')).map((name) => [name, maskOf(name)]);
  return {
    name: form.name.trim(),
    planId: form.planId ?? '',
    ...(form.environmentId ? { environmentId: form.environmentId } : {}),
    execution_mode: form.mode,
    variables: { ...enteredValues(typed), ...(Object.fromEntries(secretMasks) as Record<string, string>) },
    targets: form.targets.trim(),
    note: form.note.trim(),
    labels: labelsOf(form.labels),
    jitterSeconds: Number(form.jitterSeconds) || 0,
    onOverlap: form.onOverlap,
    onMissed: form.onMissed,
    ...timingOf(form),
  };
}
