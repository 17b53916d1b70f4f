import type {
  ActiveFreeze,
  Execution,
  Plan,
  PlanVariable,
  RunMode,
  StartExecutionRequest,
  VariableValue,
} from '../../../api/types';
import { type Override, overrideField } from '../../../ui/collections/freeze';

/** A variable's value while it is edited; an empty text or list means that no value is set. */
export type Typed = VariableValue | null;

export interface StartForm {
  mode: RunMode;
  environmentId: string | null;
  targets: string;
  note: string;
  /** Why it starts in spite of a freeze. */
  override: Override;
  variables: Record<string, Typed>;
}

/**
 * Initial values of the dialog: none, so that those of the environment and the plan are used, or those of the run that
 * is repeated. Values of secrets are never known here.
 */
export function initialForm(plan: Plan, again: Execution | null): StartForm {
  const values = plan.variables.map((variable): [string, Typed] => [
    variable.name,
    initialValue(variable.type, again?.variables[variable.name]),
  ]);
  return {
    mode: again && again.execution_mode !== 'dry_run' ? again.execution_mode : 'auto',
    environmentId: again?.environmentId ?? plan.environmentId,
    targets: again?.targets ?? '',
    note: '',
    override: null,
    variables: Object.fromEntries(values),
  };
}

function initialValue(type: PlanVariable['type'], before: VariableValue | undefined): Typed {
  const value = type === 'secret' ? undefined : before;
  if (type === 'list') return Array.isArray(value) ? value.map(String) : [];
  if (type === 'boolean') return typeof value === 'boolean' ? value : null;
  return value === undefined || Array.isArray(value) ? '' : value;
}

/**
 * The request for the form; empty variables are omitted, so that the environment's or the plan's value is used.
 * @param expectedDigest digest of the dry run that was shown: the server refuses to start anything else
 * @param freeze what holds now: only then it can be overridden
 */
export function toStartRequest(
  plan: Plan,
  form: StartForm,
  expectedDigest?: string,
  freeze: ActiveFreeze | null = null,
): StartExecutionRequest {
  const values = Object.entries(form.variables).flatMap(([name, value]) =>
    isGiven(value) ? [[name, value] as const] : [],
  );
  return {
    planId: plan.id,
    execution_mode: form.mode,
    ...(form.environmentId && form.environmentId !== plan.environmentId ? { environmentId: form.environmentId } : {}),
    ...(values.length > 0 ? { variables: Object.fromEntries(values) } : {}),
    ...(form.targets.trim() ? { targets: form.targets.trim() } : {}),
    ...(expectedDigest ? { expectedDigest } : {}),
    ...(form.note.trim() ? { note: form.note.trim() } : {}),
    ...overrideField(freeze, form.mode, form.override),
  };
}

export const isGiven = (value: Typed): value is VariableValue =>
  value !== '' && value !== null && !(Array.isArray(value) && value.length === 0);

/** The same start as a curl command; the token is a shell variable, secrets are placeholders. */
export function toCurl(origin: string, request: StartExecutionRequest, secrets: readonly string[]): string {
  const variables = Object.entries(request.variables ?? {}).map(([name, value]) => [
    name,
    secrets.includes(name) ? `<${name}>` : value,
  ]);
  const body = {
    ...request,
    ...(variables.length > 0 ? { variables: Object.fromEntries(variables) as Record<string, VariableValue> } : {}),
  };
  return [
    `curl -fsS -X POST ${origin}/api/executions`,
    '-H "Authorization: Bearer $RUNWARD_TOKEN"',
    '-H "Content-Type: application/json"',
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}

/** Quotes a text as one word for a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
