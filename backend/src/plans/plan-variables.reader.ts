import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { type EnvironmentValues, VariableVault } from '../environments/variables/variable-vault.js';
import type { PlanContent } from './steps/plan-content.js';
import type { PlanVariablesQuery } from './plans.dto.js';
import type { PlanVariablesView, ResolvedVariableView } from './plans.view.js';
import { RunPlanReader } from './run-plan.reader.js';
import { resolveVariables } from './variables/resolve-variables.js';

const NONE: EnvironmentValues = { values: {}, secretNames: [], versions: {} };

/** Tells which values a start would take before it gives any of its own, and where they come from. */
@Injectable()
export class PlanVariablesReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly plans: RunPlanReader,
    private readonly environments: EnvironmentReader,
    private readonly vault: VariableVault,
  ) {}

  /** @throws Problem 404 for a plan, or an environment that was asked for, that the caller can't see */
  read(caller: Principal, planId: string, query: PlanVariablesQuery): Promise<PlanVariablesView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const plan = await this.plans.visible(tx, caller, planId);
      const environmentId =
        query.environmentId === undefined
          ? plan.environmentId
          : (await this.environments.visible(tx, caller, query.environmentId, '?environmentId')).id;
      const given = environmentId === null ? NONE : await this.vault.forPreview(tx, caller.tenantId, environmentId);
      return { environmentId, items: preview(await this.plans.content(tx, plan), given) };
    });
  }
}

function preview({ variables }: PlanContent, { values, secretNames }: EnvironmentValues): ResolvedVariableView[] {
  const secrets = new Set(secretNames);
  // What a secret gives is not looked at, so what the environment keeps secret can have no problem here.
  const open = variables.filter(({ name }) => !secrets.has(name));
  const { values: resolved, problems } = resolveVariables({
    definitions: open,
    layers: [{ source: 'environment', values }],
  });
  const found = new Map(resolved.map((each) => [each.name, each]));
  const declared = variables.map(({ name, type, required }): ResolvedVariableView => {
    const each = found.get(name);
    const secret = secrets.has(name) || each?.secret === true;
    return {
      name,
      type,
      declared: true,
      required: required ?? false,
      secret,
      value: secret ? null : (each?.value ?? null),
      source: secrets.has(name) ? 'environment' : ((each?.source ?? null) as ResolvedVariableView['source']),
      problem:
        problems.find(({ path }) => path === `/variables/${name}` || path.startsWith(`/variables/${name}/`))?.message ??
        null,
    };
  });
  const names = new Set(variables.map(({ name }) => name));
  const exported = [...Object.keys(values), ...secretNames].filter((name) => !names.has(name)).sort();
  return [...declared, ...exported.map((name) => exportOnly(name, values, secrets))];
}

const exportOnly = (
  name: string,
  values: EnvironmentValues['values'],
  secrets: ReadonlySet<string>,
): ResolvedVariableView => ({
  name,
  type: null,
  declared: false,
  required: false,
  secret: secrets.has(name),
  value: secrets.has(name) ? null : (values[name] ?? null),
  source: 'environment',
  problem: null,
});
