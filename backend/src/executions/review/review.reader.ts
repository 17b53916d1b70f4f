import { toStepPath } from '../queries/to-execution-view.js';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { StepRenderer, type StepRendering } from '../../plans/rendering/step-renderer.js';
import { TemplateError } from '../../templates/rendering/template-request.js';
import { listRoundAuthors } from '../approval/author-rows.js';
import { findLatestApproval } from '../approval/approval-rounds.js';
import { toAuthorViews } from '../approval/authors/author-views.js';
import type { Snapshot } from '../record/execution-row.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import { listTargetIds } from '../steps/step-targets.js';
import { compareRuns, limitDifferences } from './compare-runs.js';
import { type FrozenRun, FrozenRuns } from './frozen-runs.js';
import { getRunStepType } from '../steps/types/run-step-types.js';
import { renderTextOnHosts } from './text-on-hosts.js';
import type { ReviewStepView, ReviewView } from '../contract/review.view.js';

const MAX_REVIEWED_HOSTS = 500;
/** Time limit for rendering, in ms. Steps after it are shown as unrendered templates. */
const RENDERING_LIMIT_MS = 10_000;

@Injectable()
export class ReviewReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
    private readonly frozen: FrozenRuns,
    private readonly renderer: StepRenderer,
  ) {}

  /** @throws Problem 404 for a run that the caller cannot see; 429 `too_many_at_once`, 503 `busy` */
  async readReview(caller: Principal, id: string): Promise<ReviewView> {
    const { digest, run, before, authors } = await this.units.run(caller.tenantId, (tx) =>
      this.loadComparedRuns(tx, caller, id),
    );
    const { snapshot, hosts } = run;
    return {
      digest,
      hostCount: hosts.length,
      hosts: hosts.slice(0, MAX_REVIEWED_HOSTS).map((host) => ({
        serverId: host.server_id,
        name: host.name,
        address: `${host.username}@${host.hostname.includes(':') ? `[${host.hostname}]` : host.hostname}:${host.port}`,
        hostKeyFingerprint: host.host_key?.fingerprint ?? null,
        variables: host.variables ?? {},
        secretNames: Object.keys(host.secrets ?? {}),
      })),
      steps: await this.renderSteps(caller, run),
      variables: snapshot.variables,
      secretNames: snapshot.secretNames,
      comparedTo: before && {
        executionId: before.id,
        planRevision: before.planRevision,
        finishedAt: before.finishedAt?.toISOString() ?? null,
      },
      ...limitDifferences(before ? await compareRuns(before, run) : []),
      authors,
    };
  }

  private async loadComparedRuns(tx: EntityManager, caller: Principal, id: string) {
    const row = await this.executions.getVisibleRun(tx, caller, id);
    const run = await this.frozen.readRun(tx, { tenantId: caller.tenantId, executionId: id });
    if (!run) throw new Error('A run that was read a moment ago no longer exists.');
    const before = await this.frozen.findLastSuccess(tx, caller.tenantId, {
      planId: row.plan_id,
      environmentId: row.environment_id,
      before: id,
    });
    const ref = { tenantId: caller.tenantId, executionId: id };
    const approval = await findLatestApproval(tx, ref);
    const authors = approval
      ? await toAuthorViews(tx, caller.tenantId, await listRoundAuthors(tx, ref, approval.round))
      : [];
    return { digest: row.digest, run, before, authors };
  }

  /** Call it without a database connection: templates may wait for a thread. */
  private async renderSteps(caller: Principal, run: FrozenRun): Promise<ReviewStepView[]> {
    const { snapshot, hosts }: { snapshot: Snapshot; hosts: FrozenRun['hosts'] } = run;
    const known = new Map(hosts.map((host) => [host.server_id, host]));
    const renderer = limitRenderingTime(
      this.renderer.createStepRendering({ tenantId: caller.tenantId, asks: 'request' }),
    );
    const first = snapshot.plan.steps.findIndex(({ key }) => key === snapshot.fromStepKey);
    const steps: ReviewStepView[] = [];
    for (const [index, step] of snapshot.plan.steps.entries()) {
      // Rendering blocks the process, so other work runs between two steps.
      await turnOfOthers();
      const targets = listTargetIds(step.targets, hosts);
      const own = targets.flatMap((id) => known.get(id) ?? []);
      steps.push({
        key: step.key,
        name: step.name,
        type: step.type,
        ...(await renderTextOnHosts(step, run, own, renderer)),
        become: 'become' in step ? step.become : null,
        when: step.when,
        path: toStepPath(step),
        outerConditions: (step.scope?.outer ?? []).map(({ when }) => when),
        targets: step.targets,
        leftOut: index < first,
        hostCount: getRunStepType(step).runs === 'pause' ? 0 : targets.length,
      });
    }
    return steps;
  }
}

function limitRenderingTime(renderer: StepRendering): StepRendering {
  const late = performance.now() + RENDERING_LIMIT_MS;
  return {
    ...renderer,
    render: async (request) => {
      if (performance.now() > late)
        throw new TemplateError('too_much', 'Rendering the steps up to this one takes too long.');
      return renderer.render(request);
    },
  };
}
