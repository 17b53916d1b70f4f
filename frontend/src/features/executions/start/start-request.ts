import type { ActiveFreeze, Execution, Plan, RunMode, StartExecutionRequest } from '../../../api/types';
import { overrideField } from '../../../ui/collections/freeze';
import type { Override } from '../../../ui/forms/start-override';
import { toInstant } from '../../../ui/format/local-time';
import { labelsOf, labelTexts } from '../../../ui/runs/labels';
import { enteredValues, type TypedValue, initialTypedValue } from '../../../ui/variables/typed-value';

export interface StartForm {
  mode: RunMode;
  environmentId: string | null;
  targets: string;
  note: string;
  labels: string[];
  /** Whether the run waits in the queue if it conflicts with another run. */
  queue: boolean;
  /** Start time in the format of a `datetime-local` input; null: now. */
  startAt: string | null;
  override: Override;
  variables: Record<string, TypedValue>;
}

/**
 * Returns the initial values of the dialog. To repeat a run, these are the values of that run, without secrets.
 * Otherwise they are empty, so that the values of environment and plan apply.
 * @param environmentId chosen environment; null = that of the plan
 */
export function initialForm(plan: Plan, again: Execution | null, environmentId: string | null = null): StartForm {
  const values = plan.variables.map((variable): [string, TypedValue] => [
    variable.name,
    initialTypedValue(variable.type, again?.variables[variable.name]),
  ]);
  return {
    mode: again && again.execution_mode !== 'dry_run' ? again.execution_mode : 'auto',
    environmentId: again?.environmentId ?? environmentId ?? plan.environmentId,
    targets: again?.targets ?? '',
    note: '',
    labels: labelTexts(again?.labels ?? {}),
    queue: false,
    startAt: null,
    override: null,
    variables: Object.fromEntries(values),
  };
}

/**
 * Builds the request. Omits empty variables, so that the value of the environment or the plan applies.
 * @param expectedDigest digest of the displayed dry run: the server refuses to start anything else
 * @param freeze active freeze; an override is sent only if there is one
 */
export function toStartRequest(
  plan: Plan,
  form: StartForm,
  expectedDigest?: string,
  freeze: ActiveFreeze | null = null,
): StartExecutionRequest {
  const values = enteredValues(form.variables);
  return {
    planId: plan.id,
    execution_mode: form.mode,
    ...(form.environmentId && form.environmentId !== plan.environmentId ? { environmentId: form.environmentId } : {}),
    ...(Object.keys(values).length > 0 ? { variables: values } : {}),
    ...(form.targets.trim() ? { targets: form.targets.trim() } : {}),
    ...(expectedDigest ? { expectedDigest } : {}),
    ...(form.note.trim() ? { note: form.note.trim() } : {}),
    ...(form.labels.length > 0 ? { labels: labelsOf(form.labels) } : {}),
    ...(form.mode === 'dry_run' ? {} : waitingFields(form)),
    ...overrideField(freeze, form.mode, form.override),
  };
}

/** A dry run never waits in the queue. */
function waitingFields({ queue, startAt }: StartForm): Pick<StartExecutionRequest, 'onOverlap' | 'startAt'> {
  const at = startAt === null ? undefined : toInstant(startAt);
  return { ...(queue ? { onOverlap: 'queue' as const } : {}), ...(at === undefined ? {} : { startAt: at }) };
}
