import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { invalidRequest } from '../common/errors/problem.js';
import { EnvironmentReader } from '../environments/environment.reader.js';
import { toSelectorLabels, findUsedFacts } from '../inventory/facts/host-facts.js';
import { SameHostKeys } from '../inventory/machines/same-host-keys.js';
import { RunTargetsReader } from '../inventory/run-targets.reader.js';
import { matchesSelector, parseSelector } from '../inventory/selectors/selector.js';
import { parseSelectorAt } from '../inventory/server-lookup.js';
import type { PreviewTargetsRequest } from './plans.dto.js';
import { type TargetsPreviewView, toTargetView } from './plans.view.js';
import { RunPlanReader } from './records/run-plan.reader.js';

const MAX_LISTED_SERVERS = 200;
const MAX_LISTED_DUPLICATES = 20;

@Injectable()
export class TargetsPreview {
  constructor(
    private readonly units: UnitOfWork,
    private readonly plans: RunPlanReader,
    private readonly environments: EnvironmentReader,
    private readonly targets: RunTargetsReader,
    private readonly sameKeys: SameHostKeys,
  ) {}

  preview(caller: Principal, planId: string, request: PreviewTargetsRequest): Promise<TargetsPreviewView> {
    const targetSelector = parseSelectorAt(request.targets ?? '', '/targets');
    return this.units.run(caller.tenantId, async (tx) => {
      const plan = await this.plans.findVisiblePlan(tx, caller, planId);
      const environmentId = request.environmentId ?? plan.environmentId;
      if (environmentId === null) {
        throw invalidRequest([
          {
            path: '/environmentId',
            code: 'required',
            message: 'The plan has no default environment. Send environmentId.',
          },
        ]);
      }
      await this.environments.findVisibleEnvironment(tx, caller, environmentId, '/environmentId');
      const content = await this.plans.readContent(tx, plan);
      const facts = findUsedFacts(content.steps.map(({ targets }) => targets));
      const servers = await this.targets.resolveTargets(
        tx,
        caller,
        environmentId,
        [parseSelector(content.targets), targetSelector],
        facts.length > 0,
      );
      const stepCounts = content.steps.map((step): [string, number] => {
        const selector = parseSelector(step.targets);
        return [
          step.key,
          servers.filter((server) =>
            matchesSelector(selector, { name: server.name, tags: toSelectorLabels(server, facts) }),
          ).length,
        ];
      });
      const same = await this.sameKeys.findSameKeyPairs(tx, caller.tenantId, servers);
      return {
        count: servers.length,
        servers: servers.slice(0, MAX_LISTED_SERVERS).map(toTargetView),
        stepCounts: Object.fromEntries(stepCounts),
        sameMachineCount: same.length,
        sameMachines: same.slice(0, MAX_LISTED_DUPLICATES).map(([first, { name }]) => ({ name, sameAs: first.name })),
      };
    });
  }
}
