import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import type { VariableValue } from '../variables/variable-value.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { VariableVault } from '../environments/variables/variable-vault.js';
import {
  ServerVariablePreview,
  type ServerValuePreview,
  type ServerValuesPreview,
} from '../inventory/variables/server-variable-preview.js';
import type { PlanVariablesQuery } from './plans.dto.js';
import type { PlanVariablesView, ResolvedVariableView } from './plans.view.js';
import { RunPlanReader } from './records/run-plan.reader.js';
import {
  type PreviewedVariable,
  previewVariables,
  findServerValueProblem,
  type PreviewLayer,
} from './variables/preview-variables.js';

/** Previews the values that a start without its own values would use, and their sources. */
@Injectable()
export class PlanVariablesReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly plans: RunPlanReader,
    private readonly environments: EnvironmentReader,
    private readonly vault: VariableVault,
    private readonly servers: ServerVariablePreview,
  ) {}

  /** @throws Problem 404 for a plan, environment or server that the caller cannot see */
  read(caller: Principal, planId: string, query: PlanVariablesQuery): Promise<PlanVariablesView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const plan = await this.plans.findVisiblePlan(tx, caller, planId);
      const requestedId =
        query.environmentId === undefined
          ? null
          : (await this.environments.findVisibleEnvironment(tx, caller, query.environmentId, '?environmentId')).id;
      const { variables: definitions } = await this.plans.readContent(tx, plan);
      if (query.serverId !== undefined) {
        const place = { id: query.serverId, environmentId: requestedId, path: '?serverId' };
        const { environmentId, values } = await this.servers.previewServer(tx, caller, place);
        const layers = [await this.readEnvironmentLayer(tx, caller, environmentId), toServerLayer(values)];
        const items = previewVariables(definitions, layers).map((each) => toView(each));
        return { environmentId, serverId: query.serverId, items };
      }
      const environmentId = requestedId ?? plan.environmentId;
      if (environmentId === null)
        return { environmentId, serverId: null, items: previewVariables(definitions, []).map((each) => toView(each)) };
      const shared = previewVariables(definitions, [await this.readEnvironmentLayer(tx, caller, environmentId)]);
      const { servers, values } = await this.servers.previewEnvironment(tx, caller.tenantId, environmentId);
      const known = new Set(shared.map(({ name }) => name));
      const only = [...values.keys()].filter((name) => !known.has(name)).map(toServerOnlyVariable);
      const items = [...shared, ...only].map((each) => toView(each, values.get(each.name), servers));
      return { environmentId, serverId: null, items };
    });
  }

  private async readEnvironmentLayer(
    tx: EntityManager,
    caller: Principal,
    environmentId: string,
  ): Promise<PreviewLayer> {
    const { values, secretNames } = await this.vault.readValuesForPreview(tx, caller.tenantId, environmentId);
    const secrets = secretNames.map((name): [string, VariableValue | null] => [name, null]);
    return { source: 'environment', values: new Map([...Object.entries(values), ...secrets]) };
  }
}

const toServerLayer = (values: ReadonlyMap<string, ServerValuePreview>): PreviewLayer => ({
  source: 'server',
  values: new Map([...values].map(([name, { value }]) => [name, value])),
});

const toServerOnlyVariable = (name: string): PreviewedVariable => ({
  name,
  definition: null,
  secret: false,
  value: null,
  source: null,
  overrides: [],
  reason: null,
});

/**
 * @param onServers values of the variable on servers
 * @param servers number of servers; a missing shared value is no problem if each of them sets a value
 */
const toView = (
  { name, definition, secret, value, source, overrides, reason }: PreviewedVariable,
  onServers: ServerValuesPreview = { count: 0, first: [] },
  servers = 0,
): ResolvedVariableView => ({
  name,
  type: definition?.type ?? null,
  declared: definition !== null,
  required: definition?.required ?? false,
  secret,
  value,
  source,
  overrides,
  reason: onServers.count > 0 && onServers.count === servers ? null : reason,
  serverCount: onServers.count,
  servers: onServers.first.map((each) => ({
    serverId: each.serverId,
    serverName: each.serverName,
    value: secret ? null : each.value,
    secret: secret || each.secret,
    reason: secret ? null : findServerValueProblem(definition, each.value),
  })),
});
