import { createMatchBudget } from '../../../../common/text/linear-pattern.js';
import type { VariableValue } from '../../../../variables/variable-value.js';
import type { EnvironmentVariableValues } from '../../../../environments/variables/variable-vault.js';
import type { CalledPlanContent } from '../../../../plans/called-plans.js';
import type { PlanContent } from '../../../../plans/steps/plan-content.js';
import type { ExecutionMode } from '../../../lifecycle/statuses.js';
import { isHostSecretKey, type RunValue, toSecretName } from '../../../record/host-values.js';
import type { Snapshot } from '../../../record/execution-row.js';
import type { RunContent } from '../../../record/run-content.js';
import { expandPlan } from '../../../scopes/expand-plan.js';
import type { StartSecret, FrozenValues } from './freeze-values.js';
import { conflict } from '../../../../common/errors/problem.js';

interface RunExpansionInput {
  content: PlanContent;
  called: ReadonlyMap<string, CalledPlanContent>;
  request: { variables?: Record<string, VariableValue>; secretNames?: readonly string[] };
  frozen: FrozenValues;
  environment: EnvironmentVariableValues;
  hosts: number;
}

export interface ExpandedRun {
  content: RunContent;
  /** Empty without called plans and loops, so that snapshots of such runs keep their earlier form. */
  calls: Pick<Snapshot, 'scopes' | 'callOutputs' | 'calledPlans'>;
  /** Secrets that only some calls have, by key. */
  secrets: Record<string, VariableValue>;
  reportedSecrets: StartSecret[];
}

/** @throws Problem 400; 409 `list_not_usable`, `too_many_steps`, `called_plan_changed` */
export function expandRun({ content, called, request, frozen, environment, hosts }: RunExpansionInput): ExpandedRun {
  const plans = [...called.values()];
  const { steps, scopes, callOutputs, secrets } = expandPlan({
    content,
    called: new Map(
      plans.map(({ plan: { id, name, revision }, content: calledContent }) => [
        id,
        { id, name, revision, content: calledContent },
      ]),
    ),
    variables: frozen.variables,
    sources: {
      environment,
      start: { values: request.variables ?? {}, secretNames: request.secretNames },
      secrets: frozen.secrets,
      own: groupHostValuesByName(frozen),
      hosts,
      budget: createMatchBudget(),
    },
  });
  const calledPlans = plans.map(({ plan: { id: planId, name, revision }, content: { parallelSafe } }) => ({
    ...{ planId, name, revision, parallelSafe },
  }));
  const locks = [...new Set([content, ...plans.map((each) => each.content)].flatMap((each) => each.locks))];
  return {
    content: { ...content, steps, locks },
    calls: {
      ...(scopes.length > 0 ? { scopes } : {}),
      ...(Object.keys(callOutputs).length > 0 ? { callOutputs } : {}),
      ...(calledPlans.length > 0 ? { calledPlans } : {}),
    },
    secrets,
    reportedSecrets: Object.entries(secrets).map(([key, value]) => ({
      name: toSecretName(key),
      value,
      from: 'a called plan',
    })),
  };
}

function groupHostValuesByName({ own, secrets }: FrozenValues): Map<string, { values: RunValue[]; hosts: number }> {
  const found = new Map<string, { values: Map<string, RunValue>; hosts: number }>();
  const add = (value: RunValue) => {
    const known = found.get(value.name) ?? { values: new Map<string, RunValue>(), hosts: 0 };
    known.hosts += 1;
    known.values.set(JSON.stringify(value.value), value);
    found.set(value.name, known);
  };
  for (const { variables, secrets: hidden } of own.values()) {
    for (const [name, value] of Object.entries(variables ?? {})) add({ name, value, secret: false });
    for (const [name, { at }] of Object.entries(hidden ?? {})) {
      const value = at === null || !isHostSecretKey(at) ? undefined : secrets[at];
      if (value !== undefined) add({ name, value, secret: true });
    }
  }
  return new Map([...found].map(([name, { values, hosts }]) => [name, { values: [...values.values()], hosts }]));
}

/** @throws Problem 409 `mode_not_allowed` */
export function requireCallablePlans(called: readonly CalledPlanContent[], mode: ExecutionMode): void {
  for (const { plan, content } of called) requireAllowedMode(plan.name, content.allowedModes, mode);
}

/** @throws Problem 409 `mode_not_allowed` */
export function requireAllowedMode(name: string, allowed: readonly string[], mode: ExecutionMode): void {
  if (allowed.length === 0 || allowed.includes(mode)) return;
  throw conflict('mode_not_allowed', `"${name}" allows the modes ${allowed.join(', ')} only.`);
}
