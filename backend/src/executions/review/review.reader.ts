import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { TemplateRenderer } from '../../templates/rendering/template-renderer.js';
import { ExecutionsReader } from '../executions.reader.js';
import { targetsOf } from '../steps/step-targets.js';
import { compareRuns } from './compare-runs.js';
import { FrozenRuns } from './frozen-runs.js';
import { stepText } from './step-text.js';
import type { ReviewStepView, ReviewView } from './review.view.js';

/** How many hosts and differences one answer holds. */
const MOST_HOSTS = 500;
const MOST_DIFFERENCES = 200;

/** What a person who is to approve or decide has to look at (design: domain §6). */
@Injectable()
export class ReviewReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
    private readonly frozen: FrozenRuns,
    private readonly renderer: TemplateRenderer,
  ) {}

  /** @throws Problem 404 for a run that the caller can't see */
  read(caller: Principal, id: string): Promise<ReviewView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const row = await this.executions.visible(tx, caller, id);
      const run = await this.frozen.read(tx, { tenantId: caller.tenantId, executionId: id });
      if (!run) throw new Error('A run that was just seen is gone.');
      const before = await this.frozen.lastSuccess(tx, caller.tenantId, {
        planId: row.plan_id,
        environmentId: row.environment_id,
        before: id,
      });
      const differences = before ? compareRuns(before, run) : [];
      const { snapshot, hosts } = run;
      const steps: ReviewStepView[] = [];
      const first = snapshot.plan.steps.findIndex(({ key }) => key === snapshot.fromStepKey);
      for (const [index, step] of snapshot.plan.steps.entries()) {
        steps.push({
          key: step.key,
          name: step.name,
          type: step.type,
          ...(await stepText(step, snapshot, this.renderer)),
          become: 'become' in step ? step.become : null,
          when: step.when,
          targets: step.targets,
          leftOut: index < first,
          hostCount: step.type === 'gate' ? 0 : targetsOf(step.targets, hosts).length,
        });
      }
      return {
        digest: row.digest,
        hostCount: hosts.length,
        hosts: hosts.slice(0, MOST_HOSTS).map((host) => ({
          serverId: host.server_id,
          name: host.name,
          address: `${host.username}@${host.hostname.includes(':') ? `[${host.hostname}]` : host.hostname}:${host.port}`,
          hostKeyFingerprint: host.host_key?.fingerprint ?? null,
        })),
        steps,
        variables: snapshot.variables,
        secretNames: snapshot.secretNames,
        comparedTo: before && {
          executionId: before.id,
          planRevision: before.planRevision,
          finishedAt: before.finishedAt?.toISOString() ?? null,
        },
        differences: differences.slice(0, MOST_DIFFERENCES),
        moreDifferences: Math.max(0, differences.length - MOST_DIFFERENCES),
      };
    });
  }
}
